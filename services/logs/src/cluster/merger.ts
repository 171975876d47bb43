import type { EntryBatch } from '../entries/entry-batch.ts'
import { isAmended } from '../segments/amended-part.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import { refill } from '../segments/compaction.ts'
import { createMemoryIndex, type MemoryIndexLimits } from '../segments/memory-index.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import { buildSegment } from './build-segment.ts'
import { chooseTier } from './choose-tier.ts'
import type { Mirror, Mirrored } from './mirror.ts'
import type { SegmentSource } from './segment-source.ts'
import type { SharedCatalogue } from './shared-catalogue.ts'

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

/** Puts one segment in place of many small ones, one merge at a time. */
export type Merger = {
  /** Merges until there is nothing worth it, if no merge is under way; never throws. */
  run: () => Promise<void>
}

/** Any replica may merge, and it is right if two do: whose change comes second finds the segments replaced, and its own is thrown away. */
export const createMerger = (options: MergerOptions): Merger => {
  const { mirror, catalogue, source, analyse, limits, mayMerge, onMerged, onProblem } = options
  let running: Promise<void> | undefined

  const read = async (chosen: readonly Mirrored[]) => {
    const index = createMemoryIndex({
      documents: chosen.reduce((sum, { row }) => sum + row.documents, 0),
      textBytes: chosen.reduce((sum, { row }) => sum + row.textBytes, 0),
    })
    const parts = chosen.map(mirror.partOf)
    for (const part of parts) part.hold()
    try {
      await refill(index, analyse, parts)
      const folded = await Promise.all(parts.map((part) => (isAmended(part) ? part.overridden() : [])))
      return { index, folded: folded.flat() }
    } finally {
      for (const part of parts) part.release()
    }
  }
  /** One segment with something hidden, to be written anew without it; else small ones that are worth merging. */
  const choose = (): readonly Mirrored[] => {
    const hides = (mirrored: Mirrored) => {
      const part = mirror.partOf(mirrored)
      return isAmended(part) && part.hides
    }
    const hiding = mirror.segments.find(hides)
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
    if (chosen.length === 0 || !(await mayMerge())) {
      await settle()
      return false
    }
    const { index, folded } = await read(chosen)
    const built = index.documents > 0 ? await buildSegment(index) : undefined
    if (built) await source.write(built.segment.key, built.content)
    const contentVersion = Math.max(...chosen.map(({ row }) => row.contentVersion))
    const replaced = chosen.map(({ row }) => row.key)
    const isMerged = await catalogue.merge({ segment: built?.segment, contentVersion, replaced, folded })
    if (isMerged) onMerged()
    else if (built) await source.discard(built.segment.key)
    return true
  }
  const merge = async () => {
    try {
      while (await mergeOnce());
    } catch (error) {
      if (error instanceof SegmentCorrupt) await mirror.mend(error)
      else throw error
    }
  }
  return {
    run: () => {
      running ??= merge()
        .catch((error: unknown) =>
          onProblem(`Segments could not be merged: ${error instanceof Error ? error.message : String(error)}`),
        )
        .finally(() => {
          running = undefined
        })
      return running
    },
  }
}
