import type { Handlers } from '@trellis/kit/rpc'
import type { CollectServiceDefinition, WatchStatus } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import type { Collecting } from './collecting.ts'

/** Sources are collected on schedule alone so far. */
const nothingWatched: WatchStatus = { running: false, sources: [], buffered: 0, lastFlushAt: null }

export const collectRpc = ({ runs, configured }: Collecting): Handlers<typeof CollectServiceDefinition> => ({
  gleanAll: ({ force }) => runs.begin({ force: force === true }),
  gleanSource: ({ sourceId, force }) => runs.begin({ source: sourceId, force: force === true }),
  listConfiguredSources: (_, { signal }) => configured(signal),
  getWatchStatus: async () => nothingWatched,
  reloadWatch: async () => nothingWatched,
})
