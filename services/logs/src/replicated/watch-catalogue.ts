import type { Bus } from '@trellis/kit/bus'
import { startRounds } from '@trellis/kit/lifecycle'
import { catalogueChanges } from './message.ts'

export type WatchOptions = {
  bus: Bus
  replica: string
  /** Catches up with the catalogue. */
  refresh: () => Promise<void>
  /** Whether the thread with the mirror is running anyway. */
  isAwake: () => boolean
  /** Whether followers need new entries immediately. */
  isFollowed: () => boolean
  signal: AbortSignal
}

/** Interval at which followed replicas check for changes whose announcement was lost. */
const followMilliseconds = 1_000

/** Keeps the mirror of a replica up to date, so that searches need not wait for it. An optimization only: searches check the store anyway. */
export const watchCatalogue = async (options: WatchOptions): Promise<void> => {
  const { bus, replica, isAwake, isFollowed, signal } = options
  // A failed refresh is repeated at the next announcement, and a search that needs it reports the error.
  const refresh = () => options.refresh().catch(() => undefined)
  const listen = async () => {
    for await (const delivery of bus.subscribe(catalogueChanges, { signal })) {
      const isOwn = delivery.kind === 'event' && delivery.event.by === replica
      if (isAwake() && (!isOwn || isFollowed())) await refresh()
    }
  }
  const look = async () => {
    if (isFollowed()) await refresh()
  }
  const looking = startRounds({ milliseconds: followMilliseconds, signal, round: look, onFailure: () => undefined })
  await Promise.all([listen().catch(() => undefined), looking.ended])
}
