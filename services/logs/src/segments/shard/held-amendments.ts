import { type AmendedPart, createAmender } from '../amended-part.ts'
import { type Amendments, type Burial, changed, indexAmendments, noAmendments } from '../amendments.ts'
import type { Catalogue, CatalogueChange } from '../catalogue.ts'
import type { Part } from '../part.ts'
import type { OpenedSegment } from './open-segments.ts'
import type { WriteGuard } from './write-guard.ts'

/**
 * What changed of entries since they were written, laid over each part that is given out. It alone changes the catalogue, and knows a change
 * once its row is there.
 */
export type HeldAmendments = {
  /** Takes what the catalogue has. */
  restore: (kept: Amendments) => void
  /** Rows first, then what is known here. */
  commit: (change: CatalogueChange) => Promise<void>
  /** A segment as it is to be seen now. */
  partOf: (opened: OpenedSegment) => Part | AmendedPart
  /** The same of a part of what is in memory: nothing in it was there when anything was buried. */
  newestPartOf: (part: Part) => Part | AmendedPart
  readonly burials: readonly Burial[]
  /** How many severities wait to be written into segments. */
  readonly overrides: number
  /** A place for an override, after all others. */
  nextPlace: () => number
}

export const createHeldAmendments = (
  catalogue: Pick<Catalogue, 'change'>,
  guard: Pick<WriteGuard, 'check' | 'watch'>,
): HeldAmendments => {
  const amend = createAmender()
  let amendments = noAmendments
  let index = indexAmendments(amendments)
  let lastPlace = 0

  const apply = (next: Amendments) => {
    amendments = next
    index = indexAmendments(next)
  }
  return {
    restore: (kept) => {
      apply(kept)
      lastPlace = kept.overrides.reduce((last, { place }) => Math.max(last, place), 0)
    },
    async commit(change) {
      guard.check()
      // Where the answer was lost, the rows may be there all the same.
      await guard.watch('The catalogue could not be written', catalogue.change(change))
      if (change.amend) apply(changed(amendments, change.amend))
    },
    partOf: ({ row, segment }) => amend(segment, row.logPosition, index),
    newestPartOf: (part) => amend(part, Number.POSITIVE_INFINITY, index),
    get burials() {
      return amendments.burials
    },
    get overrides() {
      return amendments.overrides.length
    },
    nextPlace: () => ++lastPlace,
  }
}
