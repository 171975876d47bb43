import { isServiceError } from '../errors/mod.ts'
import { retry } from '../retry/mod.ts'

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
export const retrying = <Result>(
  attempt: (isAgain: boolean) => Promise<Result>,
  { signal, isRetryable = isUnavailable, ...options }: RetryOptions,
): Promise<Result> => retry({ backoff: { initial: 100, max: 5_000 }, isRetryable, ...options }, attempt, signal)
