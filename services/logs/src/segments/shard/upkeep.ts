import { createSerialQueue } from '@trellis/kit/lifecycle'
import { createBudget } from '../budget.ts'
import { SegmentCorrupt } from '../segment-layout.ts'
import type { OpenedSegment, OpenSegments } from './open-segments.ts'

/** The share of the time for rewriting segments while entries arrive. */
const upkeepShare = 0.25

/** Serializes merges and rewrites of segments; ingestion continues meanwhile, and has priority. */
export type Upkeep = {
  /** Runs work exclusively. */
  exclusively: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Works on a segment exclusively. A segment that no longer exists is skipped, and a damaged one excluded. */
  onSegment: (key: string, work: (opened: OpenedSegment) => Promise<void>) => Promise<void>
  /** Works on segments one by one, with pauses in busy times. */
  onEach: (keys: readonly string[], work: (opened: OpenedSegment) => Promise<void>) => Promise<void>
  /** Reports that entries are arriving. */
  busy: () => void
  /** Settles with the last work that was queued so far; the same promise while no more is queued. */
  last: () => Promise<unknown>
}

export type UpkeepOptions = {
  segments: Pick<OpenSegments, 'find' | 'exclude'>
  /** Aborts when the shard closes: no more work is started. */
  signal: AbortSignal
}

export const createUpkeep = ({ segments, signal }: UpkeepOptions): Upkeep => {
  const serialQueue = createSerialQueue()
  const budget = createBudget({ share: upkeepShare })

  const onSegment: Upkeep['onSegment'] = (key, work) =>
    serialQueue.run(async () => {
      const opened = segments.find(key)
      if (!opened || signal.aborted) return
      try {
        await work(opened)
      } catch (error) {
        if (!(error instanceof SegmentCorrupt)) throw error
        segments.exclude(error)
      }
    })
  return {
    exclusively: serialQueue.run,
    onSegment,
    async onEach(keys, work) {
      for (const key of keys) await budget.step(() => onSegment(key, work))
    },
    busy: budget.busy,
    last: serialQueue.drain,
  }
}
