import type { Dependencies } from '../dependencies.ts'
import { controlOf } from '../results/updates.ts'

/** A search whose last follower left goes on for this long, in case they come back, in milliseconds. */
const patience = 30_000

/** What holds a search: its time, its followers' word, and the end of its driver's turn. */
export type SearchLifetime = {
  /** Aborted when the search must stop. */
  readonly signal: AbortSignal
  /** Whether it stopped for lack of time. */
  readonly isTimedOut: () => boolean
  /** Lets go, once the search has ended by itself. */
  readonly release: () => void
}

/** Puts a search on its leash: it stops past its deadline, when told to, with its driver's turn, and 30 s after its last follower left, where it needs any. */
export const createSearchLifetime = (
  { bus, log, signal: turnEnds }: Pick<Dependencies, 'bus' | 'log' | 'signal'>,
  sessionId: string,
  deadlineSeconds: number,
  { needsFollowers = true } = {},
): SearchLifetime => {
  const stop = new AbortController()
  const released = new AbortController()
  const late = new Error('The time of the search is up.')
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
        waiting = setTimeout(() => stop.abort(new Error('Nobody is listening.')), patience).unref()
    }
  }
  follow().catch((error: unknown) => {
    if (!released.signal.aborted) log.error({ err: error }, 'a search lost touch with its followers')
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
