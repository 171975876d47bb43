import { type Implementation, implementation } from '@trellis/kit/rpc'
import { SavedSearchesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/saved_searches.ts'
import type { Dependencies } from '../dependencies.ts'
import { startRounds } from '../rounds.ts'
import { savedSearchesRpc } from '../saved-searches/rpc.ts'
import { deleteOfUnseenGuests } from '../saved-searches/store.ts'
import { type MonitorOptions, runMonitors } from './monitors.ts'

const day = 86_400_000
/** How long the saved searches of a guest are retained after their last use, in days. */
const guestDays = 30

/** Opens saved searches and their monitors. */
export const openSavedSearches = (
  dependencies: Dependencies,
  opened: AsyncDisposableStack,
  options: MonitorOptions,
): Implementation => {
  const { db, log, now, signal } = dependencies
  const monitors = opened.use(runMonitors(dependencies, options))
  const sweep = opened.use(
    startRounds({
      milliseconds: day / 4,
      signal,
      round: () => deleteOfUnseenGuests(db, new Date(now().getTime() - guestDays * day)),
      onFailure: (error) => log.warn({ err: error }, 'listings: saved searches of guests could not be deleted now'),
    }),
  )
  sweep.wake()
  return implementation(SavedSearchesServiceDefinition, savedSearchesRpc(dependencies, { onMonitor: monitors.wake }))
}
