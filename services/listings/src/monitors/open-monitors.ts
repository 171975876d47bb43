import { type Implementation, implementation } from '@trellis/kit/rpc'
import { SavedSearchesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/saved_searches.ts'
import type { Dependencies } from '../dependencies.ts'
import { savedSearchesRpc } from '../saved-searches/rpc.ts'
import { type MonitorOptions, runMonitors } from './monitors.ts'

/** Opens saved searches and their monitors. */
export const openSavedSearches = (
  dependencies: Dependencies,
  opened: AsyncDisposableStack,
  options: MonitorOptions,
): Implementation => {
  const monitors = opened.use(runMonitors(dependencies, options))
  return implementation(SavedSearchesServiceDefinition, savedSearchesRpc(dependencies, { onMonitor: monitors.wake }))
}
