import { readAhead } from '../read-ahead.ts'
import { retrying } from '../retrying.ts'
import { assignmentsOf } from '../topics.ts'
import { doRun, type RunDependencies, type RunEnd } from './do-run.ts'

export type PodWorkerOptions = RunDependencies & {
  podUid: string
  /** How long the worker waits for further runs after one, in milliseconds. */
  lingerMilliseconds: number
  /** Ends the worker. */
  signal: AbortSignal
  /** Called once the worker receives assignments. */
  onReady: () => void
}

/** How a worker ended: as its first run did, or idle when it was never assigned one. */
export type WorkerEnd = RunEnd | 'idle'

const late = Symbol('late')

const orLate = async <Value>(value: Promise<Value>, milliseconds: number): Promise<Value | typeof late> => {
  const { promise, resolve } = Promise.withResolvers<typeof late>()
  const timer = setTimeout(resolve, milliseconds, late)
  try {
    return await Promise.race([value, promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs the worker of one pod: does its assigned runs one at a time, in order. Ends on an assignment with `ends`, when no assignment has
 * come for `lingerMilliseconds` after a run, or when the first run did not complete. It reads assignments from the start, so
 * that it also finds those from before it started. It is ready once it knows the sequence of the last of those: it counts as warm for later ones.
 */
export const serveAssignments = async (options: PodWorkerOptions): Promise<WorkerEnd> => {
  const { bus, kind, podUid, lingerMilliseconds, signal, onReady } = options
  const topic = assignmentsOf[kind](podUid)
  const left = new AbortController()
  const until = AbortSignal.any([signal, left.signal])
  const assignments = bus.subscribe(topic, { after: 'start', signal: until })[Symbol.asyncIterator]()
  const done = new Set<string>()
  let first: RunEnd | undefined
  try {
    const before = await retrying(() => bus.lastSequence(topic), {
      withinMilliseconds: options.reportWithinMilliseconds,
      signal: until,
    }).catch((error: unknown) => {
      if (signal.aborted) return undefined
      throw error
    })
    if (before === undefined) return 'idle'
    onReady()
    for (let next = readAhead(assignments); ; ) {
      const received = first === undefined ? await next : await orLate(next, lingerMilliseconds)
      if (received === late || received.done) break
      next = readAhead(assignments)
      const { value: delivery } = received
      if (delivery.kind === 'gap') continue
      const { runId, ends } = delivery.event
      if (ends) break
      if (done.has(runId)) continue
      done.add(runId)
      const warm = delivery.sequence > before
      const end = await doRun(options, { runId, warm, mayBeRepeated: first === undefined, signal })
      first ??= end
      if (first !== 'completed' || signal.aborted) break
    }
  } finally {
    left.abort()
  }
  return first ?? 'idle'
}
