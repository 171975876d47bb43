import { messageOf } from '@trellis/kit/errors'
import { isOfSource } from '../../search/filters.ts'
import { hidesSome } from '../amended-part.ts'
import type { Burial } from '../amendments.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { OpenedSegment, OpenSegments } from './open-segments.ts'
import type { Replacing } from './replacing.ts'
import type { Upkeep } from './upkeep.ts'

export type ClearingOptions = {
  segments: Pick<OpenSegments, 'all' | 'damaged'>
  amendments: Pick<HeldAmendments, 'burials' | 'commit' | 'partOf'>
  replacing: Pick<Replacing, 'rewrite'>
  upkeep: Pick<Upkeep, 'exclusively' | 'onEach'>
  signal: AbortSignal
  onDamage: (problem: string) => void
}

/** Clears deleted entries out of segments. */
export type Clearing = {
  /** Writes segments anew that have anything hidden, and forgets the burials of which nothing is left. */
  clear: () => Promise<void>
  /** Does so without anybody waiting for it. */
  aside: () => void
  /** Ends with the last that was begun aside; never fails. */
  last: () => Promise<void>
}

export const createClearing = (options: ClearingOptions): Clearing => {
  const { segments, amendments, replacing, upkeep, signal, onDamage } = options
  let last: Promise<void> = Promise.resolve()

  const hides = (opened: OpenedSegment) => hidesSome(amendments.partOf(opened))
  const isSettled = ({ source, place }: Burial) =>
    !segments
      .all()
      .some(
        ({ row, segment }) =>
          row.logPosition <= place && segment.streams.some(({ origin }) => isOfSource(origin.sourceId, source)),
      )
  const forgetSettled = async () => {
    // A damaged segment may be brought back from a copy, with all that was in it.
    if (signal.aborted || segments.damaged.length > 0) return
    const settled = amendments.burials.filter(isSettled)
    if (settled.length > 0) await amendments.commit({ amend: { settled } })
  }
  const clear = async () => {
    const next = () => segments.all().find(hides)
    for (let old = next(); old && !signal.aborted; old = next()) {
      await upkeep.onEach([old.row.key], async (opened) => {
        if (hides(opened)) await replacing.rewrite(opened)
      })
    }
    await upkeep.exclusively(forgetSettled)
  }
  return {
    clear,
    aside: () => {
      last = clear().catch((error: unknown) =>
        onDamage(`Deleted entries could not be cleared away: ${messageOf(error)}`),
      )
    },
    last: () => last,
  }
}
