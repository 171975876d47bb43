import type { Leases } from '@trellis/kit/leases'
import type { Leaving } from '../search/leaving.ts'
import type { Amendments, Burial, SeverityOverride } from '../segments/amendments.ts'
import type { SegmentSummary } from '../segments/catalogue.ts'

/**
 * A segment as all replicas know it. `version` is that of the catalogue with which it came;
 * `contentVersion` is that with which the newest of its entries were first there, which is less for a segment that others were merged into.
 */
export type SharedSegment = SegmentSummary & {
  key: string
  /** CRC-32 of the whole file. */
  checksum: number
  version: number
  contentVersion: number
}

/** A segment that has been written but does not count yet. */
export type NewSegment = Omit<SharedSegment, 'version' | 'contentVersion'>

/** `folded` are severities that were written into the new segment. */
export type Replacement = {
  segment: NewSegment | undefined
  contentVersion: number
  replaced: readonly string[]
  folded?: readonly SeverityOverride[]
  /**
   * For a replacement that leaves entries out: the severities of those entries, which go with them, as of the version `after`. It does not
   * hold where a severity was put in place later between the two times.
   */
  leavesOut?: { after: number; overrides: readonly SeverityOverride[]; firstTime: number; lastTime: number }
}

/** What became of a message: how many of its entries were new. */
export type Receipt = { message: string; entries: number; duplicates: number }

export type CatalogueChanges = {
  version: number
  /** All that there is, rather than what is new. */
  isWhole: boolean
  /** Ascending by version. */
  added: SharedSegment[]
  /** Keys that no longer count. */
  removed: string[]
  /** Those that came and went since: others were merged of them already, but they can still be read for a while. Ascending by version. */
  passed: SharedSegment[]
  /** What changed beside the segments, all of it; absent where that is as it was. */
  amendments?: Amendments
}

/**
 * Which segments there are, for any number of replicas. Every change has a version of its own, one after the other, and is there for all at
 * once or not at all. A segment that was replaced stays readable for a while, so that nobody has to be asked before it is.
 */
export type SharedCatalogue = {
  /** What changed after a version; undefined for nothing. Without a version: all. */
  changes: (after: number | undefined) => Promise<CatalogueChanges | undefined>
  /**
   * Adds a segment as the version after `after`, with the receipts of its messages; false where another change came first, so that what
   * was checked against `after` has to be checked against that, too. A receipt that is there already stays as it is.
   */
  commit: (change: { after: number; segment: NewSegment; receipts: readonly Receipt[] }) => Promise<boolean>
  /** Puts one segment in place of others, or nothing; false where one of these was replaced before, or a severity changed meanwhile (`leavesOut`). */
  merge: (change: Replacement) => Promise<boolean>
  /** The version now. */
  version: () => Promise<number>
  /**
   * Hides all that there is of a source, or of the units of a stem, as a version of its own, which is given. A caller that left while this
   * waited for other changes changes nothing.
   */
  bury: (source: string, left?: Leaving) => Promise<number>
  /**
   * Puts a severity in place, as a version of its own; false where after `after` its source was deleted, or a segment was replaced that may
   * have had the entry. Throws `unavailable` when there are too many. `left` as for `bury`.
   */
  override: (override: Omit<SeverityOverride, 'place'>, after: number, left?: Leaving) => Promise<boolean>
  /** Forgets burials of which nothing is left, once no message from before them can be under way any more. */
  settle: (burials: readonly Burial[]) => Promise<void>
  /** Forgets severities that were written into segments before a moment. */
  forgetFolded: (before: number) => Promise<void>
  receipts: (messages: readonly string[]) => Promise<Receipt[]>
  forgetReceipts: (before: number) => Promise<void>
  /** Segments replaced before a moment, whose files can go. */
  replacedBefore: (moment: number) => Promise<string[]>
  /** Forgets segments that were replaced, once their files are gone. */
  forget: (keys: readonly string[]) => Promise<void>
  /** Claims that a file belongs to no segment: false where it does. A segment of that key can then no longer be added. */
  condemn: (key: string) => Promise<boolean>
  /** Tasks that one replica at a time is to do. */
  leases: Pick<Leases, 'take' | 'keep'>
}
