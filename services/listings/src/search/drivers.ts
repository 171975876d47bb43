import { handleWithRetries } from '@trellis/kit/workloads'
import type { Dependencies } from '../dependencies.ts'
import { unendedSearches } from '../session/store.ts'
import { driveSearch } from './drive.ts'
import { searches, searchesAtOnce } from './order.ts'

/**
 * How long one delivery waits for the servers that a search depends on, in milliseconds. Its deadline concludes a search long
 * before that; the conclusion waits for the servers, too.
 */
const longestOutage = 30 * 60_000

/**
 * Hands out again what was asked for and never ended: a search whose order was not queued, or was in a queue that went with
 * its process. One that waits or is driven elsewhere is not added again.
 */
const recoverSearches = async ({ db, bus }: Dependencies): Promise<void> => {
  for (const sessionId of await unendedSearches(db)) await bus.enqueue(searches, { sessionId }, sessionId)
}

/** Drives searches until the service ends; what is in hand then goes to another replica, or to the next start. */
export const driveSearches = async (dependencies: Dependencies): Promise<void> => {
  const { bus, log, signal } = dependencies
  const working = bus.work(
    searches,
    async ({ value: { sessionId }, delivery }, handling) => {
      const drive = (isAgain: boolean) =>
        driveSearch(dependencies, sessionId, { delivery, isAgain, signal: handling.signal })
      try {
        await handleWithRetries(drive, {
          queue: searches,
          handling,
          withinMilliseconds: longestOutage,
          onRetry: (error) => log.warn({ err: error, sessionId }, 'a server is away: the search is driven again'),
        })
      } catch (error) {
        if (!handling.signal.aborted) log.warn({ err: error, sessionId, delivery }, 'a search goes back to the queue')
        throw error
      }
    },
    { concurrency: searchesAtOnce, signal },
  )
  recoverSearches(dependencies).catch((error: unknown) => log.warn({ err: error }, 'searches were not taken up again'))
  await working
}
