import { setTimeout as sleep } from 'node:timers/promises'
import { isServiceError } from '../errors/mod.ts'

const pauses = { first: 100, max: 5_000 }

const isUnavailable = (error: unknown): boolean => isServiceError(error, 'unavailable')

export type RetryOptions = {
  /** How long failures are retried, in milliseconds. */
  withinMilliseconds: number
  signal: AbortSignal
  /** Whether a failure is retried; by default only `unavailable` is. */
  isRetryable?: (error: unknown) => boolean
  /** Called with the error before each pause. */
  onRetry?: (error: unknown) => void
}

/**
 * Retries an attempt that fails as `unavailable`, with growing pauses, until it succeeds or the time is up. `isAgain` is false
 * for the first attempt. Throws the last error, an error that is not retryable at once, and the signal's reason.
 */
export const retrying = async <Result>(
  attempt: (isAgain: boolean) => Promise<Result>,
  { withinMilliseconds, signal, isRetryable = isUnavailable, onRetry }: RetryOptions,
): Promise<Result> => {
  const limit = performance.now() + withinMilliseconds
  let isAgain = false
  for (let pause = pauses.first; ; pause = Math.min(pause * 2, pauses.max)) {
    signal.throwIfAborted()
    try {
      return await attempt(isAgain)
    } catch (error) {
      if (!isRetryable(error) || performance.now() + pause >= limit) throw error
      onRetry?.(error)
    }
    isAgain = true
    await sleep(pause, undefined, { signal })
  }
}
