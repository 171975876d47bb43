import { createSerialQueue } from '@trellis/kit/lifecycle'
import { createBudget } from '../budget.ts'
import { SegmentCorrupt } from '../segment-layout.ts'
import type { OpenedSegment, OpenSegments } from './open-segments.ts'

/** While entries come in, segments are written anew in this share of the time. */
const upkeepShare = 0.25

/** Merging and writing segments anew take turns with each other; entries are taken meanwhile, and have precedence. */
export type Upkeep = {
  /** Does work while no other work of upkeep is done. */
  exclusively: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Works on a segment exclusively. One that is gone by then is passed over, and one that turns out damaged left out. */
  onSegment: (key: string, work: (opened: OpenedSegment) => Promise<void>) => Promise<void>
  /** Works on segments so, one after the other, with pauses in busy times. */
  onEach: (keys: readonly string[], work: (opened: OpenedSegment) => Promise<void>) => Promise<void>
  /** Entries are coming in. */
  busy: () => void
  /** Ends with the last work that was asked for until now; the same promise while there is no more. */
  last: () => Promise<unknown>
}

export type UpkeepOptions = {
  segments: Pick<OpenSegments, 'find' | 'exclude'>
  /** Aborts when the shard is closing: no segment more is begun. */
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
