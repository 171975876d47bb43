import type { Part } from '../part.ts'
import { SegmentCorrupt } from '../segment-layout.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { MemoryIndexes } from './memory-indexes.ts'
import type { OpenSegments } from './open-segments.ts'

export type ViewsOptions = {
  segments: Pick<OpenSegments, 'all' | 'exclude'>
  memory: Pick<MemoryIndexes, 'parts'>
  amendments: Pick<HeldAmendments, 'partOf'>
}

/** Snapshots of a shard. */
export type Views = {
  /** The current parts; the caller must release each. */
  parts: () => Part[]
  /** Reads all parts and releases them; on damage, repeats without the damaged part. */
  look: <Result>(at: (parts: readonly Part[]) => Promise<Result>) => Promise<Result>
}

export const createViews = ({ segments, memory, amendments }: ViewsOptions): Views => {
  const parts = (): Part[] => {
    const opened = segments.all()
    for (const { segment } of opened) segment.hold()
    return [...opened.map(amendments.partOf), ...memory.parts()]
  }
  return {
    parts,
    async look(at) {
      for (;;) {
        const held = parts()
        try {
          return await at(held)
        } catch (error) {
          if (!(error instanceof SegmentCorrupt)) throw error
          segments.exclude(error)
        } finally {
          for (const part of held) part.release()
        }
      }
    },
  }
}
