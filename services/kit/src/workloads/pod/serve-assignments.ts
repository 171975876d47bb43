import { randomUUID } from 'node:crypto'
import type { WorkerAssignment } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Delivery } from '../../bus/mod.ts'
import { readAhead } from '../read-ahead.ts'
import { retrying } from '../retrying.ts'
import { assignmentsOf } from '../topics.ts'
import { doRun, type RunEnd, type RunWorld } from './do-run.ts'

export type PodWorkerOptions = RunWorld & {
  podUid: string
  /** How long the worker waits for further runs after one, in milliseconds. */
  lingerMilliseconds: number
  /** Ends the worker. */
  signal: AbortSignal
  /** Called when it is certain that assignments are heard. */
  onReady: () => void
}

/** How a worker ended: as its first run did, or idle, where it was never given one. */
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

/** The id that an assignment would have that assigns nothing: a worker leaves it to find the end of what came before it. */
const markOf = (id: string): WorkerAssignment => ({ runId: `mark:${id}`, ends: false })
const isMark = (delivery: Delivery<WorkerAssignment>): boolean =>
  delivery.kind === 'event' && delivery.event.runId.startsWith('mark:')

/**
 * Works as the worker of one pod: does what is assigned to it, one run at a time in order, and ends when it is told that nothing
 * follows, when nothing has come for a while after a run, or at the first run that did not go well. What was assigned before it began is found, too: it reads
 * from the start. A mark of its own that comes back tells that it is heard, and which assignments it stood ready for.
 */
export const serveAssignments = async (options: PodWorkerOptions): Promise<WorkerEnd> => {
  const { bus, podUid, lingerMilliseconds, signal, onReady } = options
  const topic = assignmentsOf(podUid)
  const left = new AbortController()
  const until = AbortSignal.any([signal, left.signal])
  const assignments = bus.subscribe(topic, { after: 'start', signal: until })[Symbol.asyncIterator]()
  const mark = markOf(randomUUID())
  const marked = retrying(() => bus.publish(topic, mark), {
    withinMilliseconds: options.reportWithinMilliseconds,
    signal: until,
  })
  // Heard of where the assignments are read: they end with it.
  marked.catch((error: unknown) => left.abort(error))

  const done = new Set<string>()
  let stoodReady = false
  let first: RunEnd | undefined
  try {
    for (let next = readAhead(assignments); ; ) {
      const heard = first === undefined ? await next : await orLate(next, lingerMilliseconds)
      if (heard === late || heard.done) break
      next = readAhead(assignments)
      const { value: delivery } = heard
      if (delivery.kind === 'gap') continue
      onReady()
      if (isMark(delivery)) {
        stoodReady ||= delivery.event.runId === mark.runId
        continue
      }
      const { runId, ends } = delivery.event
      if (ends) break
      if (done.has(runId)) continue
      done.add(runId)
      const end = await doRun(options, { runId, warm: stoodReady, mayBeDoneOver: first === undefined, signal })
      first ??= end
      if (first !== 'completed' || signal.aborted) break
    }
  } finally {
    left.abort()
  }
  if (first === undefined && !signal.aborted) await marked
  return first ?? 'idle'
}
