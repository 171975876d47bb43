import { messageOf } from '@trellis/kit/errors'
import { isOfSource } from '../../search/filters.ts'
import { hidesSome } from '../amended-part.ts'
import type { Tombstone } from '../amendments.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { OpenedSegment, OpenSegments } from './open-segments.ts'
import type { Replacing } from './replacing.ts'
import type { Upkeep } from './upkeep.ts'

export type ClearingOptions = {
  segments: Pick<OpenSegments, 'all' | 'damaged'>
  amendments: Pick<HeldAmendments, 'tombstones' | 'commit' | 'partOf'>
  replacing: Pick<Replacing, 'rewrite'>
  upkeep: Pick<Upkeep, 'exclusively' | 'onEach'>
  signal: AbortSignal
  onDamage: (problem: string) => void
}

/** Removes deleted entries from segments. */
export type Clearing = {
  /** Rewrites segments with hidden entries, and deletes the tombstones that no longer hide anything. */
  clear: () => Promise<void>
  /** Starts `clear` in the background. */
  inBackground: () => void
  /** Settles with the last run in the background; never rejects. */
  last: () => Promise<void>
}

export const createClearing = (options: ClearingOptions): Clearing => {
  const { segments, amendments, replacing, upkeep, signal, onDamage } = options
  let last: Promise<void> = Promise.resolve()

  const hides = (opened: OpenedSegment) => hidesSome(amendments.partOf(opened))
  const isSettled = ({ source, position }: Tombstone) =>
    !segments
      .all()
      .some(
        ({ row, segment }) =>
          row.logPosition <= position && segment.streams.some(({ origin }) => isOfSource(origin.sourceId, source)),
      )
  const deleteSettled = async () => {
    // A damaged segment may be restored from a copy, with all its entries.
    if (signal.aborted || segments.damaged.length > 0) return
    const settled = amendments.tombstones.filter(isSettled)
    if (settled.length > 0) await amendments.commit({ amend: { settled } })
  }
  const clear = async () => {
    const next = () => segments.all().find(hides)
    for (let old = next(); old && !signal.aborted; old = next()) {
      await upkeep.onEach([old.row.key], async (opened) => {
        if (hides(opened)) await replacing.rewrite(opened)
      })
    }
    await upkeep.exclusively(deleteSettled)
  }
  return {
    clear,
    inBackground: () => {
      last = clear().catch((error: unknown) =>
        onDamage(`Deleted entries could not be removed from segments: ${messageOf(error)}`),
      )
    },
    last: () => last,
  }
}
