import type { StoredEntry } from '../entries/entry.ts'

/** What a scorer found: a score, what it calls it, and when it looked (epoch milliseconds). */
export type Score = { score: number; label: string; scoredAt: number }

/**
 * What was found out about an entry after it was kept. It lies in rows beside the segments and is laid over entries as they are given out,
 * so that saying more of an entry costs no segment. What searches filter by (severities) is the engine's: see `segments/overrides.ts`.
 */
export type EntryOverlay = { anomaly: Score | null; security: Score | null }

/** One more field of an overlay is one more name here and its columns in `store.ts`. */
export const overlayFields = ['anomaly', 'security'] as const satisfies readonly (keyof EntryOverlay)[]

/** What is to be laid over one entry; fields that are absent stay as they are. */
export type OverlayChange = { entryId: string; sourceId: string } & Partial<EntryOverlay>

export const withOverlay = (entry: StoredEntry, overlay: EntryOverlay | undefined): StoredEntry =>
  overlay ? { ...entry, overlay } : entry
