import type { Bus } from '@trellis/kit/bus'
import { startRounds } from '@trellis/kit/lifecycle'
import { catalogueChanges } from './message.ts'

export type WatchOptions = {
  bus: Bus
  replica: string
  /** Catches up with the catalogue. */
  refresh: () => Promise<void>
  /** Whether the thread that knows the catalogue is there anyway. */
  isAwake: () => boolean
  /** Whether somebody wants to hear of new entries at once. */
  isFollowed: () => boolean
  signal: AbortSignal
}

/** Should word of a change not reach those who follow, they look by themselves so often. */
const followMilliseconds = 1_000

/** Keeps a replica near to what others commit, so that a search finds it here already. Only for speed: a search asks the store anyway. */
export const watchCatalogue = async (options: WatchOptions): Promise<void> => {
  const { bus, replica, isAwake, isFollowed, signal } = options
  // What fails now is tried again at the next word of a change, and a search that needs it says why it cannot be.
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
