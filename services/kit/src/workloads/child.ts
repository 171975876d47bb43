import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromWorker, ToWorker } from './messages.ts'
import { type Exceeded, watchMemory } from './resident-memory.ts'

/** How workers of one kind are started. */
export type WorkerKind = {
  /** The module that calls `serveWork`. */
  module: URL
  /** The worker's whole environment. */
  environment: Record<string, string>
  /** Maximum concurrent runs. */
  concurrency: number
  /** Idle workers held ready while there are runs, beside the busy ones. */
  warm: number
  /** Ready workers are ended after this long without a run. */
  idleMilliseconds: number
  /** A worker is replaced after this many runs. */
  runsPerWorker: number
  /** Maximum size of a worker's V8 heap; memory outside of it is not counted. */
  memoryMegabytes: number
  /** Maximum physical memory of a worker, heap included, beyond which it is killed. Enforced on Linux. */
  residentMegabytes: number
  /** Maximum physical memory of a worker together with the processes that it starts; default `residentMegabytes`. */
  treeMegabytes?: number
  /** Removes what an ended worker left behind, for example after a crash. */
  cleanUp?: (pid: number) => Promise<void>
  /** Removes what the workers shared; called once all have ended. */
  cleanUpShared?: () => Promise<void>
}

export type Child = {
  pid: number
  runs: number
  send: (message: ToWorker) => void
  /** Requests the worker to end, and kills it after a grace period. */
  end: () => void
  kill: () => void
}

/** How a worker ended. */
export type ChildExit = {
  code: number | null
  signal: NodeJS.Signals | null
  /** The end of its stderr, where a crash states its cause. */
  lastWords: string
  /** The physical memory that it was killed for, alone or with its descendants. */
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
/** Time limit for the rest of stderr after the exit; a process that the worker started may hold it open for ever. */
const lastWordsMilliseconds = 1_000

/** Kills the descendants of a killed worker, which would live on otherwise; some may have ended already. */
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
  // Node emits 'close' only when the worker ends first, and never after `disconnect`, so wait for the end of its stderr instead.
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
    // A process that could not be started emits no 'exit'.
    if (child.pid !== undefined) return
    lastWords = error.message
    ended(null, null)
  })
  const kill = () => void child.kill('SIGKILL')
  const killAfterGrace = () => {
    const timer = setTimeout(kill, endGraceMilliseconds)
    child.once('exit', () => clearTimeout(timer))
  }
  // A write that the system accepted before the worker closed its channel reports no error; without this its run would wait for ever.
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
