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
  type Freed,
  freedByReplacing,
  isExpired,
  isUnlimited,
  lessFreed,
  type MaintenanceRequest,
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
  catalogue: Pick<SharedCatalogue, 'merge' | 'expireTombstones'>
  source: SegmentSource
  analyse: (batch: EntryBatch) => BatchAnalysis
  limits: MemoryIndexLimits
  /** Acquires or renews the merge lease of this replica. */
  mayMerge: () => Promise<boolean>
  onMerged: () => void
  onProblem: (problem: string) => void
}

/** The share of the time for rewriting segments while other work waits for this thread. */
const upkeepShare = 0.25
/** Maximum rounds: a merge replaces segments by new ones, and a change that another replica preceded is repeated. */
const maxRounds = 8

/** Replaces many small segments by larger ones, one merge at a time. */
export type Merger = {
  /** Merges until no merge is worthwhile, unless a merge is running; never throws. */
  run: () => Promise<void>
  /** Deletes expired entries; with `isThorough` it also rewrites segments that have hidden or changed entries, and merges. */
  maintain: (request: MaintenanceRequest) => Promise<Freed>
  /** Entries are arriving: deferrable work pauses. */
  busy: () => void
}

const droppedFrom = (
  chosen: readonly Mirrored[],
  after: number,
  overrides: readonly SeverityOverride[],
): NonNullable<Replacement['dropped']> => ({
  after,
  overrides,
  firstTime: Math.min(...chosen.map(({ row }) => row.firstTime)),
  lastTime: Math.max(...chosen.map(({ row }) => row.lastTime)),
})

/** Any replica may merge, and concurrent merges are safe: the second one finds its segments replaced and discards its result. */
export const createMerger = (options: MergerOptions): Merger => {
  const { mirror, catalogue, source, analyse, limits, mayMerge, onMerged, onProblem } = options
  let running: Promise<void> | undefined
  const budget = createBudget({ share: upkeepShare })
  /** Total that this replica has freed by replacing segments. */
  let freed = nothingFreed
  /**
   * Keys of segments that this replica wrote since the last folding began: their severities are folded in, although the overrides stay for a
   * while.
   */
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
  /** A segment with hidden entries, which is rewritten without them; else small segments that are worth merging. */
  const choose = (): readonly Mirrored[] => {
    const hiding = mirror.segments.find((mirrored) => hidesSome(mirror.partOf(mirrored)))
    if (hiding) return [hiding]
    const rows = chooseTier(
      mirror.segments.map(({ row }) => row),
      limits,
    )
    return mirror.segments.filter(({ row }) => rows.includes(row))
  }
  /** Deletes tombstones that no longer hide anything. While a segment is damaged they stay, because it may be restored with all its entries. */
  const expireTombstones = async () => {
    const { tombstones } = mirror.amendments
    if (tombstones.length > 0 && !mirror.isDamaged) await catalogue.expireTombstones(tombstones)
  }
  /** False when there is nothing to do. */
  const mergeOnce = async (): Promise<boolean> => {
    await mirror.refresh()
    const chosen = choose()
    if (chosen.length === 0) {
      await expireTombstones()
      return false
    }
    if (!(await mayMerge())) return false
    await replace(chosen)
    return true
  }
  const swap = async (
    chosen: readonly Mirrored[],
    segment: NewSegment | undefined,
    severities: Pick<Replacement, 'folded' | 'dropped'>,
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
  /** Replaces segments by one or none; false if one of them was replaced meanwhile. */
  const replace = async (
    chosen: readonly Mirrored[],
    convert?: (entry: StoredEntry) => StoredEntry | undefined,
  ): Promise<boolean> => {
    const after = mirror.version ?? 0
    const droppedKeys = new Set<string>()
    const { index, folded } = await read(
      chosen,
      convert &&
        ((entry) => {
          const converted = convert(entry)
          if (!converted) droppedKeys.add(keyOfEntryId(entry.entryId))
          return converted
        }),
    )
    const built = index.documents > 0 ? await buildSegment(index) : undefined
    if (built) await source.write(built.segment.key, built.content)
    if (!convert) return swap(chosen, built?.segment, { folded })
    const overrides = folded.filter(({ key }) => droppedKeys.has(key))
    return swap(chosen, built?.segment, {
      folded: folded.filter(({ key }) => !droppedKeys.has(key)),
      dropped: droppedFrom(chosen, after, overrides),
    })
  }
  /** Drops the overrides with their segment: an override that outlived its entry would apply to the same entry sent again. */
  const drop = async (dropped: Mirrored): Promise<boolean> => {
    const after = mirror.version ?? 0
    const part = mirror.partOf(dropped)
    part.hold()
    try {
      return await swap([dropped], undefined, { dropped: droppedFrom([dropped], after, await overriddenIn([part])) })
    } finally {
      part.release()
    }
  }
  const merge = async () => {
    try {
      while (await mergeOnce());
    } catch (error) {
      if (error instanceof SegmentCorrupt) await mirror.repair(error)
      else throw error
    }
  }
  /** Processes segments by key, one at a time; unreadable ones are repaired or excluded. */
  const eachOf = async (keys: readonly string[], work: (mirrored: Mirrored) => Promise<unknown>) => {
    for (const key of keys) {
      await budget.step(async () => {
        const mirrored = mirror.segments.find(({ row }) => row.key === key)
        if (!mirrored) return
        try {
          await work(mirrored)
        } catch (error) {
          if (!(error instanceof SegmentCorrupt)) throw error
          await mirror.repair(error)
        }
      })
    }
    await mirror.refresh()
  }
  const retain = async ({ retention, now }: MaintenanceRequest) => {
    if (isUnlimited(retention)) return
    const isOld = isExpired(retention, now)
    for (let round = 0; round < maxRounds; round++) {
      const stored = mirror.segments.map((one) => ({
        key: one.row.key,
        bytes: one.row.bytes,
        part: mirror.partOf(one),
      }))
      const plan = await planRetention(stored, retention, now)
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
  const maintain = async (request: MaintenanceRequest): Promise<Freed> => {
    await mirror.refresh()
    const before = freed
    await retain(request)
    if (request.isThorough) {
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
