import type { LogEngine } from '../threads/log-engine.ts'
import { withOverlay } from './entry-overlay.ts'
import type { Overlays } from './store.ts'

/** An engine whose entries carry what was found out about them: one query for all entries of an answer. */
export const createOverlaidEngine = (engine: LogEngine, overlays: Pick<Overlays, 'of'>): LogEngine => ({
  ...engine,
  search: async (request, signal) => {
    const result = await engine.search(request, signal)
    const known = await overlays.of(result.entries.map(({ entry }) => entry.entryId))
    if (known.size === 0) return result
    const entries = result.entries.map((found) => ({
      ...found,
      entry: withOverlay(found.entry, known.get(found.entry.entryId)),
    }))
    return { ...result, entries }
  },
  find: async (entryId, signal) => {
    const entry = await engine.find(entryId, signal)
    return entry && withOverlay(entry, (await overlays.of([entryId])).get(entryId))
  },
})
