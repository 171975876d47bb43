import type { AmendmentChange, Amendments } from './amendments.ts'

/** What is known of a segment without reading it. Times are epoch milliseconds. */
export type SegmentSummary = {
  bytes: number
  documents: number
  textBytes: number
  words: number
  firstTime: number
  lastTime: number
}

/** A row of the catalogue. */
export type SegmentRow = SegmentSummary & {
  key: string
  /** The last record of the append log whose entries are in this segment or an earlier one. */
  logPosition: number
}

/** An atomic change: segments to add and remove, and a change of the amendments. */
export type CatalogueChange = { add?: SegmentRow[]; remove?: string[]; amend?: AmendmentChange }

export type CatalogueContent = {
  segments: SegmentRow[]
  amendments: Amendments
  /** All entries up to this record of the append log are in segments or have been deleted. Monotonic. */
  logPosition: number
}

/**
 * The list of segments and the changes since they were written. A segment is active from the moment its row exists, not its file; a change is
 * atomic. Stored in SQLite or Postgres.
 */
export type Catalogue = {
  read: () => Promise<CatalogueContent>
  list: () => Promise<SegmentRow[]>
  change: (change: CatalogueChange) => Promise<void>
}
