import { type Implementation, implementation } from '@trellis/kit/rpc'
import { SavedSearchesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/saved_searches.ts'
import type { Dependencies } from '../dependencies.ts'
import { savedSearchesRpc } from '../saved-searches/rpc.ts'
import { type MonitorOptions, runMonitors } from './monitors.ts'

export type SavedSearches = {
  readonly implementation: Implementation
  /** Concludes the run that a search belonged to, and starts the next one, without waiting for the next round. */
  readonly onSearchEnded: () => void
}

/** Opens saved searches and their monitors. */
export const openSavedSearches = (
  dependencies: Dependencies,
  opened: AsyncDisposableStack,
  options: MonitorOptions,
): SavedSearches => {
  const monitors = opened.use(runMonitors(dependencies, options))
  const rpc = savedSearchesRpc(dependencies, { onMonitor: monitors.wake })
  return { implementation: implementation(SavedSearchesServiceDefinition, rpc), onSearchEnded: monitors.wake }
}
