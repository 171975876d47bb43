import type { AmendmentChange, Amendments } from './amendments.ts'

/** What is known of any segment without reading it. Times are epoch milliseconds. */
export type SegmentSummary = {
  bytes: number
  documents: number
  textBytes: number
  words: number
  firstTime: number
  lastTime: number
}

/** What the catalogue knows of a segment. */
export type SegmentRow = SegmentSummary & {
  key: string
  /** The last record of the append log whose entries are in it or in one before it. */
  logPosition: number
}

/** One step: segments that come and go, and what changed of entries beside them. */
export type CatalogueChange = { add?: SegmentRow[]; remove?: string[]; amend?: AmendmentChange }

export type CatalogueContent = {
  segments: SegmentRow[]
  amendments: Amendments
  /** Up to this record of the append log all entries are in segments, or were and have been removed. Never goes back. */
  logPosition: number
}

/**
 * Which segments there are, and what changed since they were written. A segment counts from the moment its row is there, not from when its
 * file is; a change is one step. SQLite or Postgres by the store's choice.
 */
export type Catalogue = {
  read: () => Promise<CatalogueContent>
  list: () => Promise<SegmentRow[]>
  change: (change: CatalogueChange) => Promise<void>
}
