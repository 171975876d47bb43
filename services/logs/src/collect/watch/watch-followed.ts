import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch, Chunk } from '../collector.ts'
import type { Keeper } from '../keep-chunks.ts'
import type { SourceWatch, WatchOptions } from './source-watch.ts'

/** A stretch of following: the chunks that come, and what stores them. */
export type Stretch = { chunks: AsyncIterable<Chunk | Batch>; keeper: Keeper }

export type WatchFollowedOptions = WatchOptions & {
  /**
   * Has the source to itself while the work goes on; `signal` aborts when it is to end. Somebody else who wants the source has it
   * between two stretches.
   */
  stretch: (signal: AbortSignal, work: (stretch: Stretch) => Promise<void>) => Promise<void>
}

/** Between two stretches, so that a run finds the source free. */
const pauseMilliseconds = 500

/** Follows a source whose collector tells what comes: stores it when there are enough lines or some time has gone by. */
export const watchFollowed = ({ stretch, limits, closing, onStored, onProblem }: WatchFollowedOptions): SourceWatch => {
  let current: Keeper | undefined

  const keep = async ({ chunks, keeper }: Stretch) => {
    current = keeper
    let turn: Promise<unknown> = Promise.resolve()
    let failed: { error: unknown } | undefined
    /** One after the other: a keeper is not for two at once. */
    const inTurn = (work: () => Promise<void>): Promise<void> => {
      const mine = turn.then(async () => {
        if (failed) throw failed.error
        await work()
      })
      turn = mine.catch((error: unknown) => {
        failed ??= { error }
      })
      return mine
    }
    const settle = async () => {
      if (keeper.buffered === 0) return
      await keeper.settle()
      onStored()
    }
    const ticking = setInterval(() => void inTurn(settle).catch(() => undefined), limits.milliseconds)
    try {
      for await (const chunk of chunks) {
        await inTurn(() => keeper.take(chunk))
        if (keeper.buffered >= limits.lines) await inTurn(settle)
      }
      await turn
    } finally {
      clearInterval(ticking)
      await turn
      const had = keeper.buffered
      await keeper.finish(true)
      current = undefined
      if (had > 0) onStored()
    }
  }
  const follow = async () => {
    while (!closing.aborted) {
      let pause = pauseMilliseconds
      try {
        await stretch(closing, keep)
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
