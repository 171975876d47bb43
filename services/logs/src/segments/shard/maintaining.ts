import type { SerialQueue } from '@trellis/kit/lifecycle'
import { isAmended, overriddenIn } from '../amended-part.ts'
import { addFreed, type Care, type Freed, isExpired, keepsAll, lessFreed, planRetention } from '../retention.ts'
import type { Clearing } from './clearing.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { MemoryIndexes } from './memory-indexes.ts'
import type { Merging } from './merging.ts'
import type { OpenedSegment, OpenSegments } from './open-segments.ts'
import type { Replacing } from './replacing.ts'
import type { Upkeep } from './upkeep.ts'

const hour = 3_600_000

export type MaintenanceOptions = {
  serialQueue: Pick<SerialQueue, 'run'>
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
  const { serialQueue, upkeep, clearing, merging, replacing, segments, memory, amendments, signal } = options

  /** What is in memory is in a segment by the time it is old, unless nothing came after it. */
  const sealOverdue = async (now: number) => {
    const parts = memory.parts()
    const isOverdue = parts.some(({ streams }) => streams.some(({ firstIngest = now }) => now - firstIngest > hour))
    for (const part of parts) part.release()
    if (isOverdue) await serialQueue.run(memory.seal)
  }
  const dropSegment = async (old: OpenedSegment) => {
    const overridden = () => overriddenIn([amendments.partOf(old)])
    old.segment.hold()
    try {
      // An override that outlived its entry would apply to the same entry sent again.
      const folded = await overridden()
      await amendments.commit({ remove: [old.row.key], ...(folded.length > 0 && { amend: { folded } }) })
      segments.replace([old], [])
      const late = await overridden()
      if (late.length > 0) await amendments.commit({ amend: { folded: late } })
    } finally {
      old.segment.release()
    }
  }
  const retain = async ({ retention, now }: Care) => {
    if (keepsAll(retention)) return
    await sealOverdue(now)
    const isOld = isExpired(retention, now)
    const tried = new Set<string>()
    // A segment that is merged meanwhile is another one: it is planned for again.
    while (!signal.aborted) {
      const plan = await segments.look(async (opened) =>
        planRetention(
          opened.map((one) => ({ ...one.row, part: amendments.partOf(one) })),
          retention,
          now,
        ),
      )
      const [drop, rewrite] = [plan.drop, plan.rewrite].map((keys) => keys.filter((key) => !tried.has(key)))
      if (!drop || !rewrite || drop.length + rewrite.length === 0) return
      for (const key of [...drop, ...rewrite]) tried.add(key)
      await upkeep.onEach(drop, dropSegment)
      await upkeep.onEach(rewrite, (old) => replacing.rewrite(old, (entry) => (isOld(entry) ? undefined : entry)))
    }
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
    serialQueue.run(() =>
      upkeep.exclusively(async () => {
        await memory.sealed()
        return segments.sweep()
      }),
    )
  return async (care) => {
    if (care.isThorough) await serialQueue.run(memory.seal)
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
