import type { SerialQueue } from '@trellis/kit/lifecycle'
import { isAmended, overriddenIn } from '../amended-part.ts'
import {
  addFreed,
  type Freed,
  isExpired,
  isUnlimited,
  lessFreed,
  type MaintenanceRequest,
  planRetention,
} from '../retention.ts'
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
 * Deletes expired entries; a thorough run also folds hidden and changed entries into rewritten segments, merges segments where worthwhile, and
 * removes orphaned files. Returns what was freed.
 */
export type Maintain = (request: MaintenanceRequest) => Promise<Freed>

export const createMaintain = (options: MaintenanceOptions): Maintain => {
  const { serialQueue, upkeep, clearing, merging, replacing, segments, memory, amendments, signal } = options

  /** Seals memory with old entries, which otherwise stay there when nothing follows them. */
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
  const retain = async ({ retention, now }: MaintenanceRequest) => {
    if (isUnlimited(retention)) return
    await sealOverdue(now)
    const isOld = isExpired(retention, now)
    const tried = new Set<string>()
    // A segment that is merged meanwhile becomes another one, for which the plan is made again.
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
  /** Serialized and exclusive, so that files which are written before their rows are not taken for leftovers of a crash. */
  const sweep = () =>
    serialQueue.run(() =>
      upkeep.exclusively(async () => {
        await memory.sealed()
        return segments.sweep()
      }),
    )
  return async (request) => {
    if (request.isThorough) await serialQueue.run(memory.seal)
    const before = segments.freed()
    const freed = () => lessFreed(segments.freed(), before)
    await retain(request)
    if (!request.isThorough) return freed()
    await clearing.clear()
    await foldAmendments()
    while (!signal.aborted && (await merging.once()));
    return addFreed(await sweep(), freed())
  }
}
