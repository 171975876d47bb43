import { type ServiceError, toServiceError } from '../errors/mod.ts'
import type { FailureReport } from './messages.ts'

/** The worker's own word for why it failed, where what it threw carries one. */
export const reasonIn = (error: unknown): string | undefined =>
  error instanceof Error && 'reason' in error && typeof error.reason === 'string' ? error.reason : undefined

/** What a run that threw is reported to have failed by; `Failed` where the worker has no word of its own for it. */
export const failureReport = (error: unknown, failed: ServiceError = toServiceError(error)): FailureReport => ({
  reason: reasonIn(error) ?? 'Failed',
  kind: failed.kind,
  detail: failed.message,
  retryAfterSeconds: failed.retryAfterSeconds,
})
