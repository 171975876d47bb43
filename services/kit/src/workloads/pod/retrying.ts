import { setTimeout as sleep } from 'node:timers/promises'
import { isFailure } from '../../errors/mod.ts'

const pauses = { first: 100, most: 5_000 }

/**
 * Does something until it is done: what is `unavailable` is tried again, with growing pauses, for so many milliseconds.
 * Throws what it failed with last, any other failure at once, and the signal's reason.
 */
export const retrying = async <Result>(
  attempt: () => Promise<Result>,
  { withinMilliseconds, signal }: { withinMilliseconds: number; signal: AbortSignal },
): Promise<Result> => {
  const limit = performance.now() + withinMilliseconds
  for (let pause = pauses.first; ; pause = Math.min(pause * 2, pauses.most)) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      if (!isFailure(error, 'unavailable') || performance.now() + pause >= limit) throw error
    }
    await sleep(pause, undefined, { signal })
  }
}
