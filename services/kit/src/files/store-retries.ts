/** How long requests to a store of files are retried. */
export const storeRetries = {
  backoff: { initial: 100, max: 3_000 },
  maxAttempts: 6,
  withinMilliseconds: 15_000,
} as const
