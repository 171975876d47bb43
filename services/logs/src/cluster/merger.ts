import type { EntryBatch } from '../entries/entry-batch.ts'
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
  catalogue: Pick<SharedCatalogue, 'merge'>
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
    const parts = chosen.map(({ segment }) => segment)
    for (const part of parts) part.hold()
    try {
      await refill(index, analyse, parts)
      return index
    } finally {
      for (const part of parts) part.release()
    }
  }
  /** False when there is nothing to do. */
  const mergeOnce = async (): Promise<boolean> => {
    await mirror.refresh()
    const rows = chooseTier(
      mirror.segments.map(({ row }) => row),
      limits,
    )
    if (rows.length === 0 || !(await mayMerge())) return false
    const chosen = mirror.segments.filter(({ row }) => rows.includes(row))
    if (chosen.length < rows.length) return true
    const { segment, content } = await buildSegment(await read(chosen))
    await source.write(segment.key, content)
    const contentVersion = Math.max(...rows.map((row) => row.contentVersion))
    const isMerged = await catalogue.merge({ segment, contentVersion, replaced: rows.map(({ key }) => key) })
    if (isMerged) onMerged()
    else await source.discard(segment.key)
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
