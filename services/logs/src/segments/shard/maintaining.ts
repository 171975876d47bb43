import type { Turns } from '@trellis/kit/lifecycle'
import { isAmended } from '../amended-part.ts'
import { addFreed, type Care, type Freed, isExpired, keepsAll, lessFreed, planRetention } from '../retention.ts'
import type { Clearing } from './clearing.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { MemoryIndexes } from './memory-indexes.ts'
import type { Merging } from './merging.ts'
import type { OpenSegments } from './open-segments.ts'
import type { Replacing } from './replacing.ts'
import type { Upkeep } from './upkeep.ts'

const hour = 3_600_000

export type MaintenanceOptions = {
  turns: Pick<Turns, 'take'>
  upkeep: Pick<Upkeep, 'exclusively' | 'onEach'>
  clearing: Pick<Clearing, 'clear'>
  merging: Pick<Merging, 'once'>
  replacing: Pick<Replacing, 'rewrite'>
  segments: OpenSegments
  memory: Pick<MemoryIndexes, 'parts' | 'seal' | 'sealed'>
  amendments: Pick<HeldAmendments, 'commit' | 'partOf'>
  signal: AbortSignal
}

/**
 * Lets go of what was kept long enough and, where it is to be thorough, writes segments anew with all that is hidden or was changed, merges
 * what is worth it, and removes files that nothing names. Gives what came of it.
 */
export type Maintain = (care: Care) => Promise<Freed>

export const createMaintain = (options: MaintenanceOptions): Maintain => {
  const { turns, upkeep, clearing, merging, replacing, segments, memory, amendments, signal } = options

  const retain = async ({ retention, now }: Care) => {
    if (keepsAll(retention)) return
    const isOld = isExpired(retention, now)
    // What is in memory is in a segment by the time it is old, unless nothing came after it.
    if (memory.parts().some(({ streams }) => streams.some(({ firstIngest = now }) => now - firstIngest > hour)))
      await turns.take(memory.seal)
    const kept = segments.all().map((one) => ({ ...one.row, part: amendments.partOf(one) }))
    const { drop, rewrite } = await planRetention(kept, retention, now)
    await upkeep.onEach(drop, async (old) => {
      await amendments.commit({ remove: [old.row.key] })
      segments.replace([old], [])
    })
    await upkeep.onEach(rewrite, (old) => replacing.rewrite(old, (entry) => (isOld(entry) ? undefined : entry)))
  }
  const foldAmendments = () => {
    const amended = segments.all().filter((one) => isAmended(amendments.partOf(one)))
    return upkeep.onEach(
      amended.map(({ row }) => row.key),
      (old) => replacing.rewrite(old),
    )
  }
  /** In turn and exclusively: a file that is there before its row is not one of those that a crash left. */
  const sweep = () =>
    turns.take(() =>
      upkeep.exclusively(async () => {
        await memory.sealed()
        return segments.sweep()
      }),
    )
  return async (care) => {
    if (care.isThorough) await turns.take(memory.seal)
    const before = segments.freed()
    const freed = () => lessFreed(segments.freed(), before)
    await retain(care)
    if (!care.isThorough) return freed()
    await clearing.clear()
    await foldAmendments()
    while (!signal.aborted && (await merging.once()));
    return addFreed(await sweep(), freed())
  }
}
