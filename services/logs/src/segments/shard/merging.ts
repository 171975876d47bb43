import { messageOf } from '@trellis/kit/errors'
import { chooseForMerge } from '../compaction.ts'
import type { MemoryIndexLimits } from '../memory-index.ts'
import { SegmentCorrupt } from '../segment-layout.ts'
import type { OpenSegments } from './open-segments.ts'
import type { Replacing } from './replacing.ts'
import type { Upkeep } from './upkeep.ts'

export type MergingOptions = {
  limits: MemoryIndexLimits
  segments: Pick<OpenSegments, 'all' | 'exclude'>
  replacing: Pick<Replacing, 'merge'>
  upkeep: Pick<Upkeep, 'exclusively'>
  signal: AbortSignal
  onDamage: (problem: string) => void
}

/** Replaces many small segments by larger ones. */
export type Merging = {
  /** Merges the smallest ones; false if no merge is worthwhile. */
  once: () => Promise<boolean>
  /** Starts a merge in the background, unless one is running. */
  inBackground: () => void
}

export const createMerging = (options: MergingOptions): Merging => {
  const { limits, segments, replacing, upkeep, signal, onDamage } = options
  let isRunning = false

  const merge = async (): Promise<boolean> => {
    if (signal.aborted) return false
    const rows = segments.all().map(({ row }) => row)
    const chosen = chooseForMerge(rows, limits)
    if (chosen.length === 0) return false
    try {
      await replacing.merge(segments.all().filter(({ row }) => chosen.includes(row)))
      return true
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      segments.exclude(error)
      return false
    }
  }
  const once = () => upkeep.exclusively(merge)
  return {
    once,
    inBackground: () => {
      if (isRunning || signal.aborted) return
      isRunning = true
      once()
        .catch((error: unknown) => onDamage(`Segments could not be merged: ${messageOf(error)}`))
        .finally(() => {
          isRunning = false
        })
    },
  }
}
