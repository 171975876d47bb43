import { type AmendedPart, createAmender } from '../amended-part.ts'
import { type Amendments, changed, indexAmendments, noAmendments, type Tombstone } from '../amendments.ts'
import type { Catalogue, CatalogueChange } from '../catalogue.ts'
import type { Part } from '../part.ts'
import type { OpenedSegment } from './open-segments.ts'
import type { WriteGuard } from './write-guard.ts'

/**
 * The amendments of a shard, which are applied to each part that it returns. It alone changes the catalogue, and applies a change once its row
 * exists.
 */
export type HeldAmendments = {
  /** Sets the amendments of the catalogue. */
  restore: (stored: Amendments) => void
  /** Writes rows first, then applies the change. */
  commit: (change: CatalogueChange) => Promise<void>
  /** A segment as of now, with its amendments. */
  partOf: (opened: OpenedSegment) => Part | AmendedPart
  /** The same for a part in memory: its entries are newer than all tombstones. */
  newestPartOf: (part: Part) => Part | AmendedPart
  readonly tombstones: readonly Tombstone[]
  /** The number of severity overrides that are not folded into segments. */
  readonly overrides: number
  /** A position for an override, after all others. */
  nextPosition: () => number
}

export const createHeldAmendments = (
  catalogue: Pick<Catalogue, 'change'>,
  guard: Pick<WriteGuard, 'check' | 'watch'>,
): HeldAmendments => {
  const amend = createAmender()
  let amendments = noAmendments
  let index = indexAmendments(amendments)
  let lastPosition = 0

  const apply = (next: Amendments) => {
    amendments = next
    index = indexAmendments(next)
  }
  return {
    restore: (stored) => {
      apply(stored)
      lastPosition = stored.overrides.reduce((last, { position }) => Math.max(last, position), 0)
    },
    async commit(change) {
      guard.check()
      // If the response was lost, the rows may exist nevertheless.
      await guard.watch('The catalogue could not be written', catalogue.change(change))
      if (change.amend) apply(changed(amendments, change.amend))
    },
    partOf: ({ row, segment }) => amend(segment, row.logPosition, index),
    newestPartOf: (part) => amend(part, Number.POSITIVE_INFINITY, index),
    get tombstones() {
      return amendments.tombstones
    },
    get overrides() {
      return amendments.overrides.length
    },
    nextPosition: () => ++lastPosition,
  }
}
