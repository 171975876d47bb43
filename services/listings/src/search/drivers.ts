import { unendedSearches } from '../session/store.ts'
import type { World } from '../world.ts'
import { driveSearch } from './drive.ts'
import { searches, searchesAtOnce } from './order.ts'

/** How many times in the time that a job may go unheard of it is said that its driver lives. */
const signsOfLife = 4

/**
 * Hands out again what was asked for and never ended: a search whose order was not queued, or was in a queue that went with
 * its process. One that waits or is driven elsewhere is not added again.
 */
const recoverSearches = async ({ db, bus }: World): Promise<void> => {
  for (const sessionId of await unendedSearches(db)) await bus.enqueue(searches, { sessionId }, sessionId)
}

/** Drives searches until the service ends; what is in hand then goes to another replica, or to the next start. */
export const driveSearches = async (world: World): Promise<void> => {
  const { bus, log, signal } = world
  const working = bus.work(
    searches,
    async ({ value: { sessionId }, delivery }, handling) => {
      const alive = setInterval(handling.working, searches.acknowledgeWithinMilliseconds / signsOfLife)
      try {
        await driveSearch(world, sessionId, { delivery, signal: handling.signal })
      } catch (error) {
        if (!handling.signal.aborted) log.warn({ err: error, sessionId, delivery }, 'a search goes back to the queue')
        throw error
      } finally {
        clearInterval(alive)
      }
    },
    { concurrency: searchesAtOnce, signal },
  )
  recoverSearches(world).catch((error: unknown) => log.warn({ err: error }, 'searches were not taken up again'))
  await working
}
