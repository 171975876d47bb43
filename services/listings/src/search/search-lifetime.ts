import type { Dependencies } from '../dependencies.ts'
import { controlOf } from '../results/updates.ts'

/** How long a search continues after its last follower left, in case they return, in milliseconds. */
const patience = 30_000

/** Cancellation scope of a search: its deadline, control events of its followers, and the end of its delivery. */
export type SearchLifetime = {
  /** Aborted when the search must stop. */
  readonly signal: AbortSignal
  /** Whether it stopped at its deadline. */
  readonly isTimedOut: () => boolean
  /** Unsubscribes, once the search has ended. */
  readonly release: () => void
}

/**
 * Creates the cancellation scope of a search: it is aborted at the deadline, on a cancel event, at the end of the delivery,
 * and, unless the search needs no followers, 30 s after the last one left.
 */
export const createSearchLifetime = (
  { bus, log, signal: turnEnds }: Pick<Dependencies, 'bus' | 'log' | 'signal'>,
  sessionId: string,
  deadlineSeconds: number,
  { needsFollowers = true } = {},
): SearchLifetime => {
  const stop = new AbortController()
  const released = new AbortController()
  const late = new Error('The deadline of the search has passed.')
  const deadline = deadlineSeconds > 0 ? AbortSignal.timeout(deadlineSeconds * 1000) : AbortSignal.abort(late)
  let followers = 0
  let waiting: NodeJS.Timeout | undefined
  const follow = async () => {
    for await (const delivery of bus.subscribe(controlOf(sessionId), { after: 'start', signal: released.signal })) {
      if (delivery.kind === 'gap') continue
      const { kind } = delivery.event
      clearTimeout(waiting)
      if (kind === 'cancel') stop.abort(new Error('The search was cancelled.'))
      followers += kind === 'joined' ? 1 : kind === 'left' ? -1 : 0
      if (needsFollowers && kind === 'left' && followers <= 0)
        waiting = setTimeout(() => stop.abort(new Error('The search has no followers.')), patience).unref()
    }
  }
  follow().catch((error: unknown) => {
    if (!released.signal.aborted) log.error({ err: error }, 'listings: control events of a search are unavailable')
  })
  return {
    signal: AbortSignal.any([stop.signal, deadline, turnEnds]),
    isTimedOut: () => deadline.aborted && !stop.signal.aborted,
    release: () => {
      clearTimeout(waiting)
      released.abort()
    },
  }
}
