import type { ObsoleteDetections } from '../scoring/obsolete-detections.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { withOverlay } from './entry-overlay.ts'
import type { Overlays } from './store.ts'

/** Sources with ids that JSON cannot represent, by the id that answers show: half of a surrogate pair becomes U+FFFD in answers. */
const sourcesShownAs = async (engine: Pick<LogEngine, 'sources'>, shown: string, signal?: AbortSignal) =>
  shown.includes('\uFFFD')
    ? (await engine.sources({}, signal))
        .map(({ sourceId }) => sourceId)
        .filter((sourceId) => !sourceId.isWellFormed() && sourceId.toWellFormed() === shown)
    : []

/**
 * An engine that returns entries with their overlays, with one query for all entries of an answer. Deleting a source also deletes its overlays
 * and detections.
 */
export const createOverlaidEngine = (
  engine: LogEngine,
  overlays: Pick<Overlays, 'of' | 'dropSources'>,
  detections: Pick<ObsoleteDetections, 'dropSources'>,
): LogEngine => ({
  ...engine,
  // Serialized entries carry no overlays.
  searchSerialized: undefined,
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
  deleteSource: async (source, signal) => {
    // Read before the deletion: afterwards the ids of the source's units are unknown.
    const sources = (await engine.sources({ source }, signal)).map(({ sourceId }) => sourceId)
    let entries = await engine.deleteSource(source, signal)
    if (sources.length === 0)
      for (const spelled of await sourcesShownAs(engine, source, signal))
        entries += await engine.deleteSource(spelled, signal)
    await overlays.dropSources(sources)
    await detections.dropSources(sources)
    return entries
  },
  setSeverity: async (entryId, severity, signal) => {
    const entry = await engine.setSeverity(entryId, severity, signal)
    return entry && withOverlay(entry, (await overlays.of([entryId])).get(entryId))
  },
  find: async (entryId, signal) => {
    const entry = await engine.find(entryId, signal)
    return entry && withOverlay(entry, (await overlays.of([entryId])).get(entryId))
  },
})
