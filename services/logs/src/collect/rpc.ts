import type { Handlers } from '@trellis/kit/rpc'
import type { CollectServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import { reportMissing } from '../branches/report-missing.ts'
import type { Collecting } from './collecting.ts'

export const collectRpc = ({ runs, configured, watch }: Collecting): Handlers<typeof CollectServiceDefinition> => ({
  gleanAll: ({ force }) => runs.begin({ force: force === true }),
  gleanSource: ({ sourceId, force }) => runs.begin({ source: sourceId, force: force === true }),
  listConfiguredSources: (_, { signal, head }) => configured(signal, (missing) => reportMissing(head, missing)),
  getWatchStatus: () => watch.state(),
  reloadWatch: () => watch.reload(),
})
