import { setTimeout as sleep } from 'node:timers/promises'
import type { ChunkWriter } from '../chunk-writer.ts'
import type { Batch, Chunk } from '../collector.ts'
import type { SourceWatch, WatchOptions } from './source-watch.ts'

/** A period of following: the chunks, and the writer that stores them. */
export type FollowPeriod = { chunks: AsyncIterable<Chunk | Batch>; writer: ChunkWriter }

export type WatchFollowedOptions = WatchOptions & {
  /**
   * Runs work while it holds the source exclusively; `signal` aborts when the work must end. Another caller gets the source between two periods.
   */
  hold: (signal: AbortSignal, work: (period: FollowPeriod) => Promise<void>) => Promise<void>
}

/** The pause between two periods, in which a run can take the source. */
const pauseMilliseconds = 500

/** Follows a source whose collector yields new data: stores it when there are enough lines or some time has passed. */
export const watchFollowed = ({
  hold,
  limits,
  closing,
  onStored,
  onProblem,
  onFollowed,
}: WatchFollowedOptions): SourceWatch => {
  let current: ChunkWriter | undefined

  const store = async ({ chunks, writer }: FollowPeriod) => {
    current = writer
    let queue: Promise<unknown> = Promise.resolve()
    let failed: { error: unknown } | undefined
    /** Serializes calls of the writer, which must not overlap. */
    const enqueue = (work: () => Promise<void>): Promise<void> => {
      const mine = queue.then(async () => {
        if (failed) throw failed.error
        await work()
      })
      queue = mine.catch((error: unknown) => {
        failed ??= { error }
      })
      return mine
    }
    const settle = async () => {
      if (writer.buffered === 0) return
      await writer.settle()
      onStored()
      onFollowed()
    }
    const ticking = setInterval(() => void enqueue(settle).catch(() => undefined), limits.milliseconds)
    try {
      for await (const chunk of chunks) {
        await enqueue(() => writer.take(chunk))
        if (writer.buffered >= limits.lines) await enqueue(settle)
      }
      await queue
    } finally {
      clearInterval(ticking)
      await queue
      const had = writer.buffered
      await writer.finish(true)
      current = undefined
      if (had > 0) onStored()
    }
  }
  const follow = async () => {
    while (!closing.aborted) {
      let pause = pauseMilliseconds
      try {
        await hold(closing, store)
        onFollowed()
      } catch (error) {
        if (closing.aborted) return
        onProblem(error)
        pause = limits.retryMilliseconds
      }
      await sleep(pause, undefined, { signal: closing, ref: false }).catch(() => undefined)
    }
  }
  return {
    get buffered() {
      return current?.buffered ?? 0
    },
    done: follow().catch(onProblem),
  }
}
