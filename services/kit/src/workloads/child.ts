import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromWorker, ToWorker } from './messages.ts'
import { watchMemory } from './resident-memory.ts'

/** How the workers of one kind are started. */
export type WorkerKind = {
  /** The module that calls `serveWork`. */
  module: URL
  /** All that the worker sees of the environment. */
  environment: Record<string, string>
  /** Runs at once. */
  concurrency: number
  /** Workers kept ready beyond those that run, from the first run on. */
  warm: number
  /** Ready workers end after so long without a run. */
  idleMilliseconds: number
  /** A worker is replaced after so many runs. */
  runsPerWorker: number
  /** The most memory that a worker's JavaScript may take; without what lies outside of V8's heap. */
  memoryMegabytes: number
  /** The most physical memory that a worker may take, all of it: beyond it the worker is killed. Watched on Linux. */
  residentMegabytes: number
  /** Removes what a worker left that was killed or has crashed. */
  cleanUp?: (pid: number) => Promise<void>
}

export type Child = {
  pid: number
  runs: number
  send: (message: ToWorker) => void
  /** Asks it to end; after the grace it is killed. */
  end: () => void
  kill: () => void
}

/** How a worker ended. */
export type ChildExit = {
  code: number | null
  signal: NodeJS.Signals | null
  /** The end of what it wrote to stderr, where a crash says why. */
  lastWords: string
  /** The physical memory that it was killed for taking. */
  exceededMegabytes: number | undefined
}

type Events = {
  onMessage: (message: FromWorker) => void
  onExit: (exit: ChildExit) => void
}

const lastWordsLimit = 4_000
const endGraceMilliseconds = 2_000

export const startChild = (kind: WorkerKind, { onMessage, onExit }: Events): Child => {
  const child: ChildProcess = fork(fileURLToPath(kind.module), [], {
    serialization: 'advanced',
    env: kind.environment,
    execArgv: [`--max-old-space-size=${kind.memoryMegabytes}`, '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let lastWords = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsLimit)
  })
  child.on('message', (message) => onMessage(message as FromWorker))
  child.on('error', () => undefined)
  // 'close' rather than 'exit': by then the last words have been read.
  child.on('close', (code, signal) => onExit({ code, signal, lastWords, exceededMegabytes }))
  const kill = () => void child.kill('SIGKILL')
  let exceededMegabytes: number | undefined
  if (child.pid !== undefined) {
    const unwatch = watchMemory(child.pid, kind.residentMegabytes, (megabytes) => {
      exceededMegabytes = Math.round(megabytes)
      kill()
    })
    child.once('exit', unwatch)
  }
  return {
    pid: child.pid ?? 0,
    runs: 0,
    send: (message) => {
      if (child.connected) child.send(message, () => undefined)
    },
    end: () => {
      if (child.connected) child.disconnect()
      const timer = setTimeout(kill, endGraceMilliseconds)
      child.once('exit', () => clearTimeout(timer))
    },
    kill,
  }
}
