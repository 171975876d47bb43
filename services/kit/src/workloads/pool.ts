import { serviceError } from '../errors/mod.ts'
import type { Log } from '../telemetry/mod.ts'
import { type Child, type ChildExit, startChild, type WorkerKind } from './child.ts'
import type { FailureReport, FromWorker } from './messages.ts'

export type Outcome = { kind: 'completed'; result: Uint8Array } | { kind: 'failed'; failure: FailureReport }

/** One run in a pool, with the callbacks of its caller. */
export type Running = {
  runId: string
  input: Uint8Array
  /** Called again when the run is started once more. */
  onStarted: (worker: string, warm: boolean) => void
  onProgress: (fraction: number, detail: string) => void
  onOutput: (message: Uint8Array) => void
  onEnded: (outcome: Outcome) => void
}

const cancelGraceMilliseconds = 5_000

/** The reason of a run whose worker has ended without a report. Such a run is started once more. */
const workerLost = 'WorkerLost'

const lost = ({ code, signal, lastWords, limitMegabytes }: ChildExit): FailureReport => {
  if (limitMegabytes !== undefined) {
    return {
      reason: 'OOMKilled',
      kind: 'internal',
      detail: `The worker ran out of memory: it exceeded its limit of ${limitMegabytes} MB.`,
      retryAfterSeconds: undefined,
    }
  }
  const outOfMemory = /heap out of memory|Allocation failed|ERR_WORKER_OUT_OF_MEMORY/.test(lastWords)
  if (outOfMemory) {
    return {
      reason: 'OOMKilled',
      kind: 'internal',
      detail: 'The worker ran out of memory.',
      retryAfterSeconds: undefined,
    }
  }
  const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
  return {
    reason: workerLost,
    kind: 'internal',
    detail: `The worker ${how} before it was done.`,
    retryAfterSeconds: undefined,
  }
}

/** The reason of a run that ended because its server stopped; it may succeed when requested again. */
export const serverStopping = 'ServerStopping'

const stopped = (reason: string, detail: string): FailureReport => ({
  reason,
  kind: reason === 'DeadlineExceeded' ? 'upstream_timeout' : reason === serverStopping ? 'unavailable' : 'conflict',
  detail,
  retryAfterSeconds: undefined,
})

/**
 * A pool of child processes of one kind. Each does one run at a time, and is ready for another when it has reported its end. Runs beyond
 * the concurrency are queued in FIFO order. A run whose worker is lost is started once more, as in a cluster.
 */
export const createPool = (kind: WorkerKind, { name, log }: { name: string; log: Log }) => {
  const waiting: Running[] = []
  const busy = new Map<
    string,
    { child: Child; run: Running; failure: FailureReport | undefined; timer?: NodeJS.Timeout }
  >()
  const ready = new Set<Child>()
  const starting = new Set<Child>()
  const restarted = new WeakSet<Running>()
  /** All workers that have not exited. */
  const alive = new Set<Child>()
  const noneAlive = Promise.withResolvers<void>()
  /** Consecutive workers that a signal, such as the system's for lack of memory, ended before they were ready. */
  let lostStarts = 0
  let idleTimer: NodeJS.Timeout | undefined
  let closed = false

  const runOf = (child: Child) => [...busy.values()].find((busyRun) => busyRun.child === child)

  const restLater = () => {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => {
      for (const child of ready) child.end()
      ready.clear()
    }, kind.idleMilliseconds).unref()
  }

  const settle = (runId: string, outcome: Outcome) => {
    const busyRun = busy.get(runId)
    if (!busyRun) return
    clearTimeout(busyRun.timer)
    busy.delete(runId)
    busyRun.run.onEnded(busyRun.failure ? { kind: 'failed', failure: busyRun.failure } : outcome)
  }

  /** Runs once more, in another worker, what a worker was doing when it was lost. */
  const restart = (run: Running) => {
    restarted.add(run)
    busy.delete(run.runId)
    waiting.unshift(run)
  }

  const release = (child: Child) => {
    if (closed || child.runs >= kind.runsPerWorker) child.end()
    else ready.add(child)
    restLater()
    fill()
  }

  const onMessage = (child: Child, message: FromWorker) => {
    if (message.kind === 'ready') {
      starting.delete(child)
      lostStarts = 0
      release(child)
      return
    }
    const busyRun = busy.get(message.runId)
    if (!busyRun || busyRun.child !== child) return
    if (message.kind === 'progress') busyRun.run.onProgress(message.fraction, message.detail)
    else if (message.kind === 'output') busyRun.run.onOutput(message.message)
    else {
      if (message.kind === 'failed' && message.trace)
        log.error({ runId: message.runId, trace: message.trace }, `a ${name} run failed`)
      settle(message.runId, message)
      release(child)
    }
  }

  /**
   * Fails queued runs after a failed start, because another one would fail in the same way. A worker that was ended by a signal is replaced: one
   * incident may end all that are starting, which are at most as many as run concurrently.
   */
  const onFailedStart = (exit: ChildExit) => {
    const failure = lost(exit)
    lostStarts += 1
    if (exit.signal !== null && failure.reason === workerLost && lostStarts <= kind.concurrency) {
      log.warn({ ...exit }, `a ${name} worker was lost while it started; it is replaced`)
      return fill()
    }
    log.error({ ...exit }, `a ${name} worker did not start`)
    lostStarts = 0
    for (const run of waiting.splice(0)) run.onEnded({ kind: 'failed', failure })
  }

  const onExit = (child: Child, exit: ChildExit) => {
    kind
      .cleanUp?.(child.pid)
      .catch((error: unknown) => log.error({ err: error, pid: child.pid }, `clean-up after a ${name} worker failed`))
    ready.delete(child)
    alive.delete(child)
    if (closed && alive.size === 0) noneAlive.resolve()
    const wasStarting = starting.delete(child)
    const busyRun = runOf(child)
    if (busyRun) {
      const { run } = busyRun
      const failure = lost(exit)
      const isRestarted = !busyRun.failure && !closed && failure.reason === workerLost && !restarted.has(run)
      if (isRestarted) log.warn({ runId: run.runId, ...exit }, `a ${name} worker was lost; its run is started again`)
      else if (!busyRun.failure) log.error({ runId: run.runId, ...exit }, `a ${name} worker was lost`)
      if (isRestarted) restart(run)
      else settle(run.runId, { kind: 'failed', failure })
    } else if (wasStarting && !closed) {
      onFailedStart(exit)
      return
    }
    fill()
  }

  const start = () => {
    const child: Child = startChild(kind, {
      onMessage: (message) => onMessage(child, message),
      onExit: (exit) => onExit(child, exit),
    })
    starting.add(child)
    alive.add(child)
  }

  const assign = (child: Child, run: Running, warm: boolean) => {
    ready.delete(child)
    child.runs += 1
    busy.set(run.runId, { child, run, failure: undefined })
    run.onStarted(String(child.pid), warm)
    child.send({ kind: 'work', runId: run.runId, input: run.input })
  }

  /** The ready worker that was used last, which has its code and models in memory; one without a run yet if there is no other. */
  const nextWorker = (): Child | undefined => {
    const children = [...ready]
    return children.findLast(({ runs }) => runs > 0) ?? children[0]
  }

  /** Assigns queued runs to ready workers, and starts the workers that queued runs and `warm` require. */
  function fill(warm = false) {
    if (closed) return
    while (waiting.length > 0 && busy.size < kind.concurrency) {
      const child = nextWorker()
      if (!child) break
      const run = waiting.shift()
      if (run) assign(child, run, warm)
    }
    const room = kind.concurrency - busy.size
    const desired = Math.min(room, waiting.length + (busy.size + waiting.length > 0 ? kind.warm : 0))
    for (let count = ready.size + starting.size; count < desired; count += 1) start()
  }

  const end = (runId: string, failure: FailureReport) => {
    const index = waiting.findIndex((run) => run.runId === runId)
    if (index >= 0) {
      waiting.splice(index, 1)[0]?.onEnded({ kind: 'failed', failure })
      return
    }
    const busyRun = busy.get(runId)
    if (!busyRun || busyRun.failure) return
    busyRun.failure = failure
    busyRun.child.send({ kind: 'cancel', runId })
    busyRun.timer = setTimeout(busyRun.child.kill, cancelGraceMilliseconds)
  }

  const close = async () => {
    closed = true
    clearTimeout(idleTimer)
    const shutDown = stopped(serverStopping, 'The server is shutting down.')
    for (const run of waiting.splice(0)) run.onEnded({ kind: 'failed', failure: shutDown })
    for (const [runId, busyRun] of busy) {
      busyRun.failure = shutDown
      busyRun.child.end()
      settle(runId, { kind: 'failed', failure: shutDown })
    }
    for (const child of [...ready, ...starting]) child.end()
  }

  /** Resolves when all workers of a closed pool have exited, seconds later at most. */
  const ended = async () => {
    if (alive.size > 0) await noneAlive.promise
  }

  return {
    run: (run: Running): { queued: boolean } => {
      if (closed) throw serviceError('unavailable', 'The server is shutting down.', { retryAfterSeconds: 1 })
      waiting.push(run)
      fill(true)
      return { queued: !busy.has(run.runId) }
    },
    cancel: (runId: string) => end(runId, stopped('Cancelled', 'The run was cancelled.')),
    exceed: (runId: string) => end(runId, stopped('DeadlineExceeded', 'The run exceeded its deadline.')),
    counts: () => ({ total: kind.concurrency, running: busy.size, queued: waiting.length }),
    /** Ends all workers; queued and running runs fail as `serverStopping`. */
    close,
    ended,
    /** Like `close`, but kills the workers and resolves when they have exited, so that they write nothing more. */
    kill: async () => {
      await close()
      for (const child of alive) child.kill()
      await ended()
    },
  }
}

export type Pool = ReturnType<typeof createPool>
