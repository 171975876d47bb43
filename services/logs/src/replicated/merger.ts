import { messageOf } from '@trellis/kit/errors'
import type { StoredEntry } from '../entries/entry.ts'
import type { EntryBatch } from '../entries/entry-batch.ts'
import { keyOfEntryId } from '../entries/identity.ts'
import { hidesSome, isAmended, overriddenIn } from '../segments/amended-part.ts'
import type { SeverityOverride } from '../segments/amendments.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import { createBudget } from '../segments/budget.ts'
import { refill } from '../segments/compaction.ts'
import { createMemoryIndex, type MemoryIndexLimits } from '../segments/memory-index.ts'
import {
  addFreed,
  type Care,
  type Freed,
  freedByReplacing,
  isExpired,
  keepsAll,
  lessFreed,
  nothingFreed,
  planRetention,
} from '../segments/retention.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import { buildSegment } from './build-segment.ts'
import { chooseTier } from './choose-tier.ts'
import type { Mirror, Mirrored } from './mirror.ts'
import type { SegmentSource } from './segment-source.ts'
import type { NewSegment, Replacement, SharedCatalogue } from './shared-catalogue.ts'

export type MergerOptions = {
  mirror: Mirror
  catalogue: Pick<SharedCatalogue, 'merge' | 'settle'>
  source: SegmentSource
  analyse: (batch: EntryBatch) => BatchAnalysis
  limits: MemoryIndexLimits
  /** Whether this replica is the one to merge now; keeps it so for a while. */
  mayMerge: () => Promise<boolean>
  onMerged: () => void
  onProblem: (problem: string) => void
}

/** While others wait for this thread, segments are written anew in this share of the time. */
const upkeepShare = 0.25
/** A segment is another one after a merge, and a change that another came before is made again: both are looked for so often. */
const maxRounds = 8

/** Puts one segment in place of many small ones, one merge at a time. */
export type Merger = {
  /** Merges until there is nothing worth it, if no merge is under way; never throws. */
  run: () => Promise<void>
  /** Lets go of what was kept long enough, and with `isThorough` writes anew what is hidden or was changed and merges. */
  maintain: (care: Care) => Promise<Freed>
  /** Entries are coming in: what can wait pauses. */
  busy: () => void
}

const leavingOut = (
  chosen: readonly Mirrored[],
  after: number,
  overrides: readonly SeverityOverride[],
): NonNullable<Replacement['leavesOut']> => ({
  after,
  overrides,
  firstTime: Math.min(...chosen.map(({ row }) => row.firstTime)),
  lastTime: Math.max(...chosen.map(({ row }) => row.lastTime)),
})

/** Any replica may merge, and it is right if two do: whose change comes second finds the segments replaced, and its own is thrown away. */
export const createMerger = (options: MergerOptions): Merger => {
  const { mirror, catalogue, source, analyse, limits, mayMerge, onMerged, onProblem } = options
  let running: Promise<void> | undefined
  const budget = createBudget({ share: upkeepShare })
  /** By all that was put in place of others by this replica. */
  let freed = nothingFreed
  /** Segments that this replica wrote since the last folding began: severities stay beside them for a while, but are in them. */
  const written = new Set<string>()

  const read = async (chosen: readonly Mirrored[], convert?: (entry: StoredEntry) => StoredEntry | undefined) => {
    const index = createMemoryIndex({
      documents: chosen.reduce((sum, { row }) => sum + row.documents, 0),
      textBytes: chosen.reduce((sum, { row }) => sum + row.textBytes, 0),
    })
    const parts = chosen.map(mirror.partOf)
    for (const part of parts) part.hold()
    try {
      await refill(index, analyse, parts, convert)
      return { index, folded: await overriddenIn(parts) }
    } finally {
      for (const part of parts) part.release()
    }
  }
  /** One segment with something hidden, to be written anew without it; else small ones that are worth merging. */
  const choose = (): readonly Mirrored[] => {
    const hiding = mirror.segments.find((mirrored) => hidesSome(mirror.partOf(mirrored)))
    if (hiding) return [hiding]
    const rows = chooseTier(
      mirror.segments.map(({ row }) => row),
      limits,
    )
    return mirror.segments.filter(({ row }) => rows.includes(row))
  }
  /** Burials of which nothing is left; a damaged segment may be brought back with all that was in it. */
  const settle = async () => {
    const { burials } = mirror.amendments
    if (burials.length > 0 && !mirror.isDamaged) await catalogue.settle(burials)
  }
  /** False when there is nothing to do. */
  const mergeOnce = async (): Promise<boolean> => {
    await mirror.refresh()
    const chosen = choose()
    if (chosen.length === 0) {
      await settle()
      return false
    }
    if (!(await mayMerge())) return false
    await replace(chosen)
    return true
  }
  const swap = async (
    chosen: readonly Mirrored[],
    segment: NewSegment | undefined,
    severities: Pick<Replacement, 'folded' | 'leavesOut'>,
  ): Promise<boolean> => {
    const contentVersion = Math.max(...chosen.map(({ row }) => row.contentVersion))
    const replaced = chosen.map(({ row }) => row.key)
    const isMerged = await catalogue.merge({ segment, contentVersion, replaced, ...severities })
    if (!isMerged) {
      if (segment) await source.discard(segment.key)
      return false
    }
    if (segment) written.add(segment.key)
    freed = addFreed(
      freed,
      freedByReplacing(
        chosen.map(({ row }) => row),
        segment ? [segment] : [],
      ),
    )
    onMerged()
    return true
  }
  /** One segment in place of some, or none; false where one of them was replaced meanwhile. */
  const replace = async (
    chosen: readonly Mirrored[],
    convert?: (entry: StoredEntry) => StoredEntry | undefined,
  ): Promise<boolean> => {
    const after = mirror.version ?? 0
    const leftOut = new Set<string>()
    const { index, folded } = await read(
      chosen,
      convert &&
        ((entry) => {
          const converted = convert(entry)
          if (!converted) leftOut.add(keyOfEntryId(entry.entryId))
          return converted
        }),
    )
    const built = index.documents > 0 ? await buildSegment(index) : undefined
    if (built) await source.write(built.segment.key, built.content)
    if (!convert) return swap(chosen, built?.segment, { folded })
    const overrides = folded.filter(({ key }) => leftOut.has(key))
    return swap(chosen, built?.segment, {
      folded: folded.filter(({ key }) => !leftOut.has(key)),
      leavesOut: leavingOut(chosen, after, overrides),
    })
  }
  /** An override that outlived its entry would apply to the same entry sent again. */
  const drop = async (dropped: Mirrored): Promise<boolean> => {
    const after = mirror.version ?? 0
    const part = mirror.partOf(dropped)
    part.hold()
    try {
      return await swap([dropped], undefined, { leavesOut: leavingOut([dropped], after, await overriddenIn([part])) })
    } finally {
      part.release()
    }
  }
  const merge = async () => {
    try {
      while (await mergeOnce());
    } catch (error) {
      if (error instanceof SegmentCorrupt) await mirror.mend(error)
      else throw error
    }
  }
  /** Segments by their keys, one at a time; what cannot be read is mended or left out. */
  const eachOf = async (keys: readonly string[], work: (mirrored: Mirrored) => Promise<unknown>) => {
    for (const key of keys) {
      await budget.step(async () => {
        const mirrored = mirror.segments.find(({ row }) => row.key === key)
        if (!mirrored) return
        try {
          await work(mirrored)
        } catch (error) {
          if (!(error instanceof SegmentCorrupt)) throw error
          await mirror.mend(error)
        }
      })
    }
    await mirror.refresh()
  }
  const retain = async ({ retention, now }: Care) => {
    if (keepsAll(retention)) return
    const isOld = isExpired(retention, now)
    for (let round = 0; round < maxRounds; round++) {
      const kept = mirror.segments.map((one) => ({ key: one.row.key, bytes: one.row.bytes, part: mirror.partOf(one) }))
      const plan = await planRetention(kept, retention, now)
      if (plan.drop.length + plan.rewrite.length === 0) return
      await eachOf(plan.drop, drop)
      await eachOf(plan.rewrite, (one) => replace([one], (entry) => (isOld(entry) ? undefined : entry)))
    }
  }
  const foldAmendments = async () => {
    written.clear()
    for (let round = 0; round < maxRounds; round++) {
      const amended = mirror.segments.filter((one) => !written.has(one.row.key) && isAmended(mirror.partOf(one)))
      if (amended.length === 0) return
      await eachOf(
        amended.map(({ row }) => row.key),
        (one) => replace([one]),
      )
    }
  }
  const maintain = async (care: Care): Promise<Freed> => {
    await mirror.refresh()
    const before = freed
    await retain(care)
    if (care.isThorough) {
      await foldAmendments()
      await run()
      await mirror.refresh()
    }
    return lessFreed(freed, before)
  }
  const run = (): Promise<void> => {
    running ??= merge()
      .catch((error: unknown) => onProblem(`Segments could not be merged: ${messageOf(error)}`))
      .finally(() => {
        running = undefined
      })
    return running
  }
  return { run, maintain, busy: budget.busy }
}
