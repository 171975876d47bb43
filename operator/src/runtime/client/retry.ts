import { type Backoff, type BackoffOptions, createBackoff } from '../backoff.ts'
import type { Clock, Random } from '../clock.ts'
import { ApiError, ConnectionError } from './api-error.ts'

/** How often and how patiently a request is tried. */
export type RetryOptions = BackoffOptions & {
  /** Attempts in all. */
  attempts: number
  /** A server that asks for a longer rest, in milliseconds, is not waited for: the caller is told. */
  longestRest: number
}

export const defaultRetry: RetryOptions = {
  initial: 100,
  limit: 5_000,
  factor: 2,
  jitter: 0.5,
  attempts: 5,
  longestRest: 30_000,
}

/**
 * Whether a request that failed may be sent again. A request that certainly did nothing (429, or it was never sent) may
 * always be; one that may have been carried out only when doing it twice is doing it once.
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

/** Tries until it succeeds, fails for good, or was tried often enough; waits as long as the server asks in between. */
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
      const isLast = backoff.attempts() >= retry.attempts - 1
      if (isLast || rest > retry.longestRest || !mayRetry(error, idempotent)) throw error
      await waitFor(error, backoff, clock, signal)
    }
  }
}
