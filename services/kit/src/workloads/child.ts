import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromWorker, ToWorker } from './messages.ts'
import { type Exceeded, watchMemory } from './resident-memory.ts'

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
  /** The most physical memory that a worker and the processes that it starts may take together; `residentMegabytes` unless set. */
  treeMegabytes?: number
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
  /** The physical memory that it was killed for taking, by itself or with the processes below it. */
  exceededMegabytes: number | undefined
  /** The limit that it exceeded. */
  limitMegabytes: number | undefined
}

type Events = {
  onMessage: (message: FromWorker) => void
  onExit: (exit: ChildExit) => void
}

const lastWordsLimit = 4_000
const endGraceMilliseconds = 2_000
/** For what a worker wrote last to arrive; a process that it started may hold its stderr open for ever. */
const lastWordsMilliseconds = 1_000

/** Processes below a worker that is killed would live on; some may have ended meanwhile. */
const killAll = (pids: readonly number[]) => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

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
  let hasEnded = false
  const ended = (code: number | null, signal: NodeJS.Signals | null) => {
    if (hasEnded) return
    hasEnded = true
    onExit({
      code,
      signal,
      lastWords,
      exceededMegabytes: exceeded && Math.round(exceeded.megabytes),
      limitMegabytes: exceeded?.limitMegabytes,
    })
  }
  // Node emits 'close' only where the worker ended first, and never after `disconnect`: what is waited for is the end of its stderr.
  child.once('exit', (code, signal) => {
    const { stderr } = child
    if (!stderr || stderr.closed) return ended(code, signal)
    const timer = setTimeout(() => ended(code, signal), lastWordsMilliseconds)
    stderr.once('close', () => {
      clearTimeout(timer)
      ended(code, signal)
    })
  })
  child.on('error', (error) => {
    // A process that could not be started has no exit to wait for.
    if (child.pid !== undefined) return
    lastWords = error.message
    ended(null, null)
  })
  const kill = () => void child.kill('SIGKILL')
  const killAfterGrace = () => {
    const timer = setTimeout(kill, endGraceMilliseconds)
    child.once('exit', () => clearTimeout(timer))
  }
  // A write that the system took before the worker closed its channel reports no error: without this its run would wait for ever.
  child.once('disconnect', killAfterGrace)
  let exceeded: Exceeded | undefined
  if (child.pid !== undefined) {
    const { residentMegabytes, treeMegabytes = residentMegabytes } = kind
    const unwatch = watchMemory(child.pid, { residentMegabytes, treeMegabytes }, (found) => {
      exceeded = found
      kill()
      killAll(found.descendants)
    })
    child.once('exit', unwatch)
  }
  return {
    pid: child.pid ?? 0,
    runs: 0,
    // A worker with a lost channel never receives the message, so it is killed and its run fails.
    send: (message) => {
      if (child.connected) child.send(message, (error) => error && kill())
      else kill()
    },
    end: () => {
      if (child.connected) child.disconnect()
      else killAfterGrace()
    },
    kill,
  }
}
