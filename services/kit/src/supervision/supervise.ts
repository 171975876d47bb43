import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoff } from '../retry/mod.ts'

/** How a process ended: its exit code, the signal that ended it, or why it could not be started. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null; error?: Error }

export type SuperviseOptions = {
  /** Starts the process. The caller handles its output and messages. */
  spawn: () => ChildProcess
  /** Whether an exit is a failure, after which the process is restarted; default true. */
  isFailure?: (exit: Exit) => boolean
  /** Also restarts a process that ended before it was ready for the first time. */
  restartsUnready?: boolean
  /** Time for a graceful shutdown, after which the process is killed. */
  graceMilliseconds?: number
  /** Reports an exit, and the pause before the next start. */
  onRestart: (exit: Exit, pauseMilliseconds: number) => void
}

export type Supervised = {
  /** Must be called when the process reports that it is ready. */
  markReady: () => void
  /** Resolves with the first `markReady`; rejects when the process ended or was stopped before. */
  ready: Promise<void>
  pid: () => number | undefined
  /** Sends a signal to the process, if it runs. */
  signal: (signal: NodeJS.Signals) => void
  /** Resolves when the process has ended and is not restarted. */
  ended: Promise<Exit>
  /** Ends the process gracefully, without a restart; kills it after the grace period. */
  stop: () => Promise<void>
}

/** Without jitter: the processes of a machine do not fail together. */
const pauses = { initial: 200, max: 5_000, jitter: 0 }
/** The back-off is reset after a process has run for this long. */
const healthyMilliseconds = 10_000
/** Time limit for the rest of its output, which children of the process may hold open. */
const outputMilliseconds = 1_000

export const describeExit = ({ code, signal, error }: Exit): string => {
  if (error) return `could not be started: ${error.message}`
  return signal ? `was ended by ${signal}` : `ended with code ${String(code)}`
}

/** Resolves when the process has exited and its output has ended, if that happens in time. */
const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    const closed = once(child, 'close').catch(() => undefined)
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error })
    })
    child.once('exit', (code, signal) => {
      void Promise.race([closed, sleep(outputMilliseconds, undefined, { ref: false })]).then(() =>
        resolve({ code, signal }),
      )
    })
  })

/** Runs a process and restarts it whenever it fails, with exponential back-off from 200 ms to 5 s. */
export const supervise = (options: SuperviseOptions): Supervised => {
  const { spawn, isFailure = () => true, restartsUnready = false, graceMilliseconds = 20_000, onRestart } = options
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Exit>()
  ready.promise.catch(() => undefined)
  let child: ChildProcess | undefined
  let exited: Promise<Exit> | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopping = false
  let wasReady = false
  const backoff = createBackoff(pauses)

  const start = () => {
    const startedAt = performance.now()
    const started = spawn()
    child = started
    exited = exitOf(started)
    void exited.then((exit) => {
      if (child === started) child = undefined
      if (!wasReady) ready.reject(new Error(describeExit(exit), { cause: exit.error }))
      if (isStopping || !isFailure(exit) || !(wasReady || restartsUnready)) return ended.resolve(exit)
      if (performance.now() - startedAt > healthyMilliseconds) backoff.reset()
      const pause = backoff.next()
      onRestart(exit, pause)
      timer = setTimeout(start, pause)
    })
  }
  start()
  return {
    markReady: () => {
      wasReady = true
      ready.resolve()
    },
    ready: ready.promise,
    pid: () => child?.pid,
    signal: (signal) => void child?.kill(signal),
    ended: ended.promise,
    stop: async () => {
      isStopping = true
      clearTimeout(timer)
      const running = child
      if (!running) return ended.resolve({ code: null, signal: null })
      running.kill('SIGTERM')
      const killing = setTimeout(() => running.kill('SIGKILL'), graceMilliseconds)
      await exited
      clearTimeout(killing)
    },
  }
}
