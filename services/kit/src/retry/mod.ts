export { type Backoff, type BackoffOptions, backoff, createBackoff, type Random } from './backoff.ts'
export { type Attempts, createAttempts, type RetryPolicy, retry } from './retry.ts'
export { parseRetryAfter } from './retry-after.ts'
