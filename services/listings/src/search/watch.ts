import { resumeAfter } from '@trellis/kit/bus'
import { serviceError } from '@trellis/kit/errors'
import type { Call } from '@trellis/kit/rpc'
import { UpdateFrame, type WatchUpdatesRequest } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { Dependencies } from '../dependencies.ts'
import { wholes } from '../results/parts.ts'
import { findDone } from '../results/published-updates.ts'
import { type Control, controlOf, updatesOf } from '../results/updates.ts'
import { findSession } from '../session/store.ts'

/** How much longer than its search's deadline a stream lasts, so that the search's own timeout arrives first, in milliseconds. */
const grace = 5_000

const unknownSession = (id: string) =>
  serviceError('not_found', `You have no search "${id}", or its updates have expired.`)

/** Follows a caller's search from the requested event until it is done. */
export async function* watchUpdates(
  dependencies: Dependencies,
  request: WatchUpdatesRequest,
  call: Call,
): AsyncGenerator<UpdateFrame> {
  const { db, bus, log, now } = dependencies
  const { sessionId } = request
  const session = await findSession(db, call.caller.userId, sessionId)
  if (session === undefined) throw unknownSession(sessionId)
  const requested = await resumeAfter(bus, updatesOf(sessionId), request.lastEventId)
  const isResumed = typeof requested === 'number'
  const hasEnded = session.ended_at !== null
  let done: number | undefined
  if (hasEnded || isResumed) {
    done = await findDone(bus, sessionId, AbortSignal.any([call.signal, dependencies.signal]))
    // The client has received everything, including `done`.
    if (done !== undefined && requested === done) {
      yield { eventId: '', event: null }
      return
    }
    // An in-memory bus loses the updates of an ended search with its process: none will come.
    if (hasEnded && done === undefined) throw unknownSession(sessionId)
  }
  // Nothing that a client receives follows `done`, so a later id is of another stream.
  const position = isResumed && done !== undefined && requested > done ? null : requested
  const after = position ?? 'start'
  const left = Math.max(0, Date.parse(session.deadline_at) - now().getTime()) + grace
  const signal = AbortSignal.any([call.signal, dependencies.signal, AbortSignal.timeout(left)])
  const deliveries = bus.subscribe(updatesOf(sessionId), { after, signal })
  await bus.publish<Control>(controlOf(sessionId), { kind: 'joined' })
  // The client's position: also the id of frames without a published update.
  let at = String(position ?? 0)
  try {
    yield { eventId: '', event: null }
    // Everything follows again.
    if (position === null) yield { eventId: at, event: { $case: 'reset', value: {} } }
    for await (const whole of wholes(deliveries)) {
      if (whole.kind === 'gap') yield { eventId: at, event: { $case: 'reset', value: {} } }
      if (whole.kind !== 'message') continue
      const { event } = UpdateFrame.decode(whole.bytes)
      at = String(whole.sequence)
      yield { eventId: at, event }
      if (event?.$case === 'done') return
    }
    // A replica that shuts down sends no `done`: the client reconnects and is served by another replica.
    if (call.signal.aborted || dependencies.signal.aborted) return
    yield { eventId: at, event: { $case: 'done', value: { reason: 'timeout' } } }
  } finally {
    // If this fails, the search continues until its deadline.
    await bus
      .publish<Control>(controlOf(sessionId), { kind: 'left' })
      .catch((error: unknown) => log.warn({ err: error }, 'listings: search not notified that a follower left'))
  }
}

/** Cancels a search that the service itself has started. If that fails, the search continues until its deadline. */
export const cancelDriven = ({ bus, log }: Pick<Dependencies, 'bus' | 'log'>, sessionId: string): Promise<void> =>
  bus.publish<Control>(controlOf(sessionId), { kind: 'cancel' }).then(
    () => undefined,
    (error: unknown) => log.warn({ err: error, sessionId }, 'listings: search could not be cancelled'),
  )

/** Cancels a caller's search; has no effect on one that has ended. */
export const cancelSearch = async (dependencies: Dependencies, sessionId: string, call: Call): Promise<void> => {
  if ((await findSession(dependencies.db, call.caller.userId, sessionId)) === undefined) throw unknownSession(sessionId)
  await dependencies.bus.publish<Control>(controlOf(sessionId), { kind: 'cancel' })
}
