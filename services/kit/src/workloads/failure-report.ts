import { type ServiceError, toServiceError } from '../errors/mod.ts'
import type { FailureReport } from './messages.ts'

/** The reason of the failure, where the error has a `reason`. */
export const reasonIn = (error: unknown): string | undefined =>
  error instanceof Error && 'reason' in error && typeof error.reason === 'string' ? error.reason : undefined

/** The failure report of a run whose work threw; its reason is `Failed` where the error has none. */
export const failureReport = (error: unknown, failed: ServiceError = toServiceError(error, 'run')): FailureReport => ({
  reason: reasonIn(error) ?? 'Failed',
  kind: failed.kind,
  detail: failed.message,
  retryAfterSeconds: failed.retryAfterSeconds,
})
