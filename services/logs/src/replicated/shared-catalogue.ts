import type { Leases } from '@trellis/kit/leases'
import type { AbortCheck } from '../search/abort-check.ts'
import type { Amendments, SeverityOverride, Tombstone } from '../segments/amendments.ts'
import type { SegmentSummary } from '../segments/catalogue.ts'

/**
 * A segment in the shared catalogue. `version` is the version of the catalogue that added it; `contentVersion` is the version that first had the
 * newest of its entries, which is lower for a merged segment.
 */
export type SharedSegment = SegmentSummary & {
  key: string
  /** CRC-32 of the whole file. */
  checksum: number
  version: number
  contentVersion: number
}

/** A segment that has been written but not committed. */
export type NewSegment = Omit<SharedSegment, 'version' | 'contentVersion'>

/** `folded` are severity overrides that were written into the new segment. */
export type Replacement = {
  segment: NewSegment | undefined
  contentVersion: number
  replaced: readonly string[]
  folded?: readonly SeverityOverride[]
  /**
   * For a replacement that drops entries: their severity overrides as of the version `after`, which are deleted with them. The replacement fails
   * if the severity of an entry between the two times was overridden after that version.
   */
  dropped?: { after: number; overrides: readonly SeverityOverride[]; firstTime: number; lastTime: number }
}

/** The result of a message: how many of its entries were new. */
export type Receipt = { message: string; entries: number; duplicates: number }

export type CatalogueChanges = {
  version: number
  /** Whether this is the whole catalogue rather than the changes. */
  isWhole: boolean
  /** Ascending by version. */
  added: SharedSegment[]
  /** Keys of segments that are no longer active. */
  removed: string[]
  /** Segments that were added and replaced since, which stay readable for a while. Ascending by version. */
  passed: SharedSegment[]
  /** All amendments; absent if they did not change. */
  amendments?: Amendments
}

/**
 * The list of segments of any number of replicas. Changes are atomic and serialized, and each has its own version. A replaced segment stays
 * readable for a while, so that replacing it needs no coordination with readers.
 */
export type SharedCatalogue = {
  /** The changes after a version; undefined without any. Without a version: the whole catalogue. */
  changes: (after: number | undefined) => Promise<CatalogueChanges | undefined>
  /**
   * Adds a segment as the version after `after`, with the receipts of its messages; false if another change came first, so that the checks
   * against `after` must be repeated. Existing receipts stay unchanged.
   */
  commit: (change: { after: number; segment: NewSegment; receipts: readonly Receipt[] }) => Promise<boolean>
  /** Replaces segments by one or none; false if one of them was replaced before, or if a severity changed meanwhile (`dropped`). */
  merge: (change: Replacement) => Promise<boolean>
  /** The current version. */
  version: () => Promise<number>
  /**
   * Hides all entries of a source, or of the units of a stem, and returns the version of this change. If the caller disconnects while this waits
   * for other changes, nothing changes.
   */
  deleteSource: (source: string, left?: AbortCheck) => Promise<number>
  /**
   * Overrides a severity, as a version of its own; false if after `after` its source was deleted, or a segment that may have had the entry was
   * replaced. Throws `unavailable` when there are too many overrides. `left` as for `deleteSource`.
   */
  override: (override: Omit<SeverityOverride, 'position'>, after: number, left?: AbortCheck) => Promise<boolean>
  /** Deletes tombstones that hide nothing, once no message from before them can be pending. */
  expireTombstones: (tombstones: readonly Tombstone[]) => Promise<void>
  /** Deletes severity overrides that were folded into segments before a moment. */
  deleteFoldedBefore: (before: number) => Promise<void>
  receipts: (messages: readonly string[]) => Promise<Receipt[]>
  deleteReceiptsBefore: (before: number) => Promise<void>
  /** Keys of segments that were replaced before a moment, whose files can be removed. */
  replacedBefore: (moment: number) => Promise<string[]>
  /** Deletes the rows of replaced segments, once their files are removed. */
  deleteReplaced: (keys: readonly string[]) => Promise<void>
  /** Marks a file as one of no segment; false if it is one. A segment of that key can then no longer be added. */
  condemn: (key: string) => Promise<boolean>
  /** Leases of tasks that one replica does at a time. */
  leases: Pick<Leases, 'take' | 'keep'>
}
