import type { StoredEntry } from '../entries/entry.ts'

/** A scorer's finding: the score, its label, and when it was computed (epoch milliseconds). */
export type Score = { score: number; label: string; scoredAt: number }

/**
 * What scorers found out about an entry after it was stored. Overlays are rows beside the segments and are merged into entries when these are
 * returned, so that a new finding rewrites no segment. Fields that searches filter by (severities) belong to the engine: see
 * `segments/amendments.ts`.
 */
export type EntryOverlay = { anomaly: Score | null; security: Score | null }

/** To add a field to overlays, add its name here and its columns in `store.ts`. */
export const overlayFields = ['anomaly', 'security'] as const satisfies readonly (keyof EntryOverlay)[]

/** A change to the overlay of one entry; absent fields stay as they are. */
export type OverlayChange = { entryId: string; sourceId: string } & Partial<EntryOverlay>

export const withOverlay = (entry: StoredEntry, overlay: EntryOverlay | undefined): StoredEntry =>
  overlay ? { ...entry, overlay } : entry
