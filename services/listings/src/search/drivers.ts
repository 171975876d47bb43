import { handleWithRetries } from '@trellis/kit/workloads'
import type { Dependencies } from '../dependencies.ts'
import { unendedSearches } from '../session/store.ts'
import { driveSearch } from './drive.ts'
import { searches, searchesAtOnce } from './job.ts'

/**
 * Time limit for one delivery to wait for the servers that a search depends on, in milliseconds. The search's deadline passes
 * long before that, but publishing the conclusion needs the servers, too.
 */
const longestOutage = 30 * 60_000

/**
 * Requeues searches that never ended: those whose job was not queued, or was in a queue that was lost with its process.
 * Searches that are waiting or being driven elsewhere are not queued twice.
 */
const recoverSearches = async ({ db, bus }: Dependencies): Promise<void> => {
  for (const sessionId of await unendedSearches(db)) await bus.enqueue(searches, { sessionId }, sessionId)
}

export type DriverOptions = {
  /** Called when this replica has driven a search to its end. */
  readonly onEnded: () => void
}

/** Drives searches until the service shuts down; unfinished ones then go to another replica, or to the next start. */
export const driveSearches = async (dependencies: Dependencies, { onEnded }: DriverOptions): Promise<void> => {
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
          onRetry: (error) => log.warn({ err: error, sessionId }, 'listings: server unavailable, retrying search'),
        })
        onEnded()
      } catch (error) {
        if (!handling.signal.aborted) log.warn({ err: error, sessionId, delivery }, 'listings: search requeued')
        throw error
      }
    },
    { concurrency: searchesAtOnce, signal },
  )
  recoverSearches(dependencies).catch((error: unknown) =>
    log.warn({ err: error }, 'listings: unfinished searches were not requeued'),
  )
  await working
}
