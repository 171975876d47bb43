import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** One process of ours: a module, what it is told, and what it says when it can be used. */
export type ProcessSpec = {
  /** `logs-1`: names it in what is shown. */
  name: string
  module: URL
  words?: readonly string[]
  environment: Record<string, string>
  /** Ports that are kept for it until it starts. */
  reserved?: readonly AsyncDisposable[]
}

export type Supervised = {
  name: string
  /** Resolves when it has said that it is ready for the first time; rejects when it ended before. */
  ready: Promise<void>
  pid: () => number | undefined
  /** Ends it in order, and for good; after the grace it is killed. */
  stop: () => Promise<void>
}

type Say = (name: string, line: string) => void

const firstPauseMilliseconds = 200
const longestPauseMilliseconds = 5_000
/** A process that ran for so long had started well: its next start does not wait. */
const healthyMilliseconds = 10_000
const graceMilliseconds = 20_000

const exitOf = (child: ChildProcess): Promise<string> =>
  once(child, 'exit').then(([code, signal]) =>
    signal ? `was ended by ${String(signal)}` : `ended with code ${String(code)}`,
  )

/**
 * Runs a process and starts it again whenever it ends by itself, with growing pauses. In a group of its own, so that
 * Ctrl-C at the terminal reaches the launcher alone, which ends all in order.
 */
export const supervise = (
  { name, module, words = [], environment, reserved = [] }: ProcessSpec,
  say: Say,
): Supervised => {
  const { promise: ready, resolve: isReady, reject: isLost } = Promise.withResolvers<void>()
  let child: ChildProcess | undefined
  let exited: Promise<string> | undefined
  let timer: NodeJS.Timeout | undefined
  let isEnding = false
  let pause = firstPauseMilliseconds
  let wasReady = false

  const start = () => {
    const startedAt = performance.now()
    const started = spawn(process.execPath, [module.pathname, ...words], {
      env: environment,
      // The end of its standard input tells a process that its launcher is gone.
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    child = started
    say(name, `runs (process ${started.pid ?? 'none'}); metrics on port ${environment.METRICS_PORT ?? 'none'}`)
    for (const input of [started.stdout, started.stderr]) {
      createInterface({ input }).on('line', (line) => {
        say(name, line)
        if (!/^Trellis .* is ready/.test(line)) return
        wasReady = true
        isReady()
      })
    }
    exited = exitOf(started)
    void exited.then((how) => {
      if (isEnding) return
      if (!wasReady) return isLost(new Error(`${name} ${how} before it was ready.`))
      if (performance.now() - startedAt > healthyMilliseconds) pause = firstPauseMilliseconds
      say(name, `${how}; it is started again`)
      timer = setTimeout(start, pause)
      pause = Math.min(pause * 2, longestPauseMilliseconds)
    })
  }
  void Promise.all(reserved.map((port) => port[Symbol.asyncDispose]())).then(start)
  return {
    name,
    ready,
    pid: () => child?.pid,
    stop: async () => {
      isEnding = true
      clearTimeout(timer)
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const { pid } = child
      child.kill('SIGTERM')
      const killing = setTimeout(() => {
        if (pid !== undefined) process.kill(pid, 'SIGKILL')
      }, graceMilliseconds)
      await exited
      clearTimeout(killing)
    },
  }
}

/** Runs a process to its end. Throws what it said when that was no success. */
export const runOnce = async ({ name, module, words = [], environment }: ProcessSpec): Promise<void> => {
  const child = spawn(process.execPath, [module.pathname, ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const how = await exitOf(child)
  if (child.exitCode !== 0) throw new Error(`${name} ${how}:\n${said}`)
}
