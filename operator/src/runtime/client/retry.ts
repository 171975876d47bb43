import { type Backoff, type BackoffOptions, createBackoff } from '@trellis/kit/retry'
import type { Clock, Random } from '../clock.ts'
import { ApiError, ConnectionError } from './api-error.ts'

/** Number of attempts, and the delays between them. */
export type RetryOptions = BackoffOptions & {
  /** Total number of attempts. */
  attempts: number
  /** If the server requests a longer delay than this, in milliseconds, the call fails instead of waiting. */
  longestRest: number
}

export const defaultRetry: RetryOptions = {
  initial: 150,
  max: 7_500,
  jitter: 1 / 3,
  attempts: 5,
  longestRest: 30_000,
}

/**
 * Whether a failed request may be sent again. One that certainly had no effect (429, or never sent) always may; one
 * that may have been carried out only if it is idempotent.
 */
export const mayRetry = (error: unknown, idempotent: boolean): boolean => {
  if (error instanceof ConnectionError) return idempotent || !error.maybeSent
  if (!(error instanceof ApiError)) return false
  if (error.status === 429) return true
  if (error.status === 500) return idempotent && error.retryAfter !== undefined
  return idempotent && error.status >= 502 && error.status <= 504
}

const waitFor = async (error: unknown, backoff: Backoff, clock: Clock, signal: AbortSignal | undefined) => {
  const requested = error instanceof ApiError ? (error.retryAfter ?? 0) : 0
  await clock.sleep(Math.max(requested, backoff.next()), signal)
}

/** Retries until success, a permanent error or the last attempt; honours the delay that the server requests. */
export const withRetries = async <T>(
  attempt: () => Promise<T>,
  { idempotent, signal }: { idempotent: boolean; signal: AbortSignal | undefined },
  { clock, random, retry }: { clock: Clock; random: Random; retry: RetryOptions },
): Promise<T> => {
  const backoff = createBackoff(retry, random)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      signal?.throwIfAborted()
      const rest = error instanceof ApiError ? (error.retryAfter ?? 0) : 0
      const isLast = backoff.failures() >= retry.attempts - 1
      if (isLast || rest > retry.longestRest || !mayRetry(error, idempotent)) throw error
      await waitFor(error, backoff, clock, signal)
    }
  }
}
