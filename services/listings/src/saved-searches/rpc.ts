import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type {
  SavedSearch,
  SavedSearchesServiceDefinition,
} from '@trellis/protos/ts/trellis/listings/v1/saved_searches.ts'
import type { Dependencies } from '../dependencies.ts'
import { cancelDriven } from '../search/watch.ts'
import { hasStore, requireFeature, requireSession } from '../session/access.ts'
import { featuresOf } from '../session/features.ts'
import { checkFilters } from './filters.ts'
import { changeMonitor } from './monitor-settings.ts'
import {
  deleteSavedSearch,
  insertSavedSearch,
  listSavedSearches,
  recordRun,
  recordUse,
  type SavedSearchRow,
} from './store.ts'

/** Maximum saved searches of one user in the tiers without a limit of their own. */
export const maxSavedSearches = 1_000

const shown = (row: SavedSearchRow): SavedSearch => ({
  id: row.id,
  name: row.name,
  query: row.query,
  platform: row.platform,
  filtersJson: row.filters_json,
  createdAt: row.created_at,
  lastRunAt: row.last_run_at,
  monitorEnabled: row.monitor_enabled === 1,
  pollIntervalMin: row.poll_interval_min,
  minTrustScore: row.min_trust_score,
  lastCheckedAt: row.last_checked_at,
  lastError: row.last_error,
  nextCheckAt: row.next_check_at,
})

const notBlank = (text: string, name: string): string => {
  const trimmed = text.trim()
  if (trimmed === '') throw invalidField(['body', name], 'must not be blank')
  return trimmed
}

const unknown = (id: number) => serviceError('not_found', `You have no saved search with the id ${id}.`)

export const savedSearchesRpc = (
  dependencies: Dependencies,
  /** Called when a monitor may have become due. */
  { onMonitor }: { readonly onMonitor: () => void },
): Handlers<typeof SavedSearchesServiceDefinition> => {
  const { db, config, now } = dependencies
  /** Stops the run of a monitor whose result is no longer needed. */
  const stopRun = async ({ run_id }: SavedSearchRow): Promise<void> => {
    if (run_id !== null) await cancelDriven(dependencies, run_id)
  }
  return {
    listSavedSearches: async (_request, { caller }) => {
      if (!hasStore(caller)) return { savedSearches: [] }
      await recordUse(db, caller, now())
      return { savedSearches: (await listSavedSearches(db, caller.userId)).map(shown) }
    },
    createSavedSearch: async ({ name, query, filtersJson }, { caller }) => {
      const userId = requireSession(caller, 'save searches')
      const filters = filtersJson || '{}'
      checkFilters(filters)
      const row = {
        user_id: userId,
        tier: caller.tier,
        name: notBlank(name, 'name'),
        query: notBlank(query, 'query'),
        platform: config.platform,
        filters_json: filters,
        created_at: now().toISOString(),
      }
      const limit = featuresOf(caller.tier).savedSearchesLimit
      const inserted = await insertSavedSearch(db, row, limit ?? maxSavedSearches)
      if (inserted !== undefined) return shown(inserted)
      if (limit === null)
        throw serviceError('conflict', `You have ${maxSavedSearches} saved searches, which is the limit: delete some.`)
      throw serviceError('forbidden', `Your tier allows ${limit} saved searches: delete one, or use a higher tier.`)
    },
    deleteSavedSearch: async ({ savedId }, { caller }) => {
      const deleted = await deleteSavedSearch(db, requireSession(caller, 'delete saved searches'), savedId)
      if (deleted !== undefined) await stopRun(deleted)
      return {}
    },
    runSavedSearch: async ({ savedId }, { caller }) => {
      const userId = requireSession(caller, 'run saved searches')
      if (!(await recordRun(db, userId, savedId, now().toISOString()))) throw unknown(savedId)
      return { ok: true }
    },
    setMonitor: async ({ savedId, monitorEnabled, pollIntervalMin, minTrustScore }, { caller }) => {
      const userId = requireSession(caller, 'monitor saved searches')
      // Without the feature, a monitor of a higher tier before can still be switched off.
      if (monitorEnabled !== false) requireFeature(caller, 'backgroundMonitoring', 'Monitoring', 'forbidden')
      const changed = await changeMonitor(db, {
        userId,
        tier: caller.tier,
        id: savedId,
        change: {
          isEnabled: monitorEnabled ?? undefined,
          intervalMinutes: pollIntervalMin ?? undefined,
          minTrustScore: minTrustScore ?? undefined,
        },
        now: now(),
      })
      if (changed === undefined) throw unknown(savedId)
      if (changed.after.monitor_enabled === 0) await stopRun(changed.before)
      else onMonitor()
      return shown(changed.after)
    },
  }
}
