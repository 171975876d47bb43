/** What the catalogue knows of a segment. Times are epoch milliseconds. */
export type SegmentRow = {
  key: string
  bytes: number
  documents: number
  textBytes: number
  words: number
  firstTime: number
  lastTime: number
  /** The last record of the append log whose entries are in it or in one before it. */
  logPosition: number
}

/**
 * Which segments there are. A segment counts from the moment its row is there, not from when its file is; a replacement is one step.
 * SQLite or Postgres by the store's choice.
 */
export type Catalogue = {
  list: () => Promise<SegmentRow[]>
  replace: (change: { add: SegmentRow[]; remove: string[] }) => Promise<void>
}
