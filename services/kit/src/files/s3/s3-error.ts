import { serviceError } from '../../errors/mod.ts'
import type { RetryPolicy } from '../retry.ts'

/**
 * An answer of the store that is none of those hoped for. Holds its code alone: bodies of refusals repeat what was
 * signed, session token included.
 */
export class S3Error extends Error {
  override name = 'StoreRefusal'
  readonly status: number
  /** S3's word for it, such as `NoSuchKey`; the status where the store said none. */
  readonly code: string
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string | undefined, retryAfterSeconds?: number) {
    super(`The store answered ${status} ${code ?? ''}`.trim())
    this.status = status
    this.code = code ?? String(status)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const passingCodes = new Set(['SlowDown', 'ServiceUnavailable', 'InternalError', 'RequestTimeout', 'OperationAborted'])
const passingStatuses = new Set([408, 429, 500, 502, 503, 504])
const passingSystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** The system's word for what a connection failed by. */
export const systemCode = (error: unknown): string | undefined => {
  if (error instanceof AggregateError) return systemCode(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Whether the same request may fare better in a moment. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof S3Error
    ? passingStatuses.has(error.status) || passingCodes.has(error.code)
    : passingSystemCodes.has(systemCode(error) ?? '')

/** Whether there is no such object. Other things that are missing, such as the bucket, are no reason to believe that. */
export const isMissing = (error: unknown): boolean => error instanceof S3Error && error.code === 'NoSuchKey'

/** What is wrong with how the store was set up, by its code. */
const setupFaults: Record<string, string> = {
  InvalidAccessKeyId: 'does not know the access key',
  XAdminUserNotFound: 'does not know the access key',
  SignatureDoesNotMatch: 'says that the secret key is wrong',
  AuthorizationHeaderMalformed: 'says that it is in another region',
  ExpiredToken: 'says that the credentials have run out',
  InvalidToken: 'refuses the session token',
  AccessDenied: 'does not let these credentials do that',
  RequestTimeTooSkewed: 'says that the clock of this machine is wrong',
  NoSuchBucket: 'has no bucket of that name',
  PermanentRedirect: 'says that the bucket lies behind another endpoint',
}

const retryAfterSeconds = 5

/**
 * What went wrong at the store, for those who asked for a file: what can pass is `unavailable` with a time, faults of the
 * setup without. Other errors are given back as they are.
 */
export const toStoreError = (error: unknown): unknown => {
  const cause = { cause: error }
  if (isRetryable(error)) {
    const reason = error instanceof S3Error ? `it answered ${error.code}` : 'it cannot be reached'
    return serviceError('unavailable', `The object store is not available just now: ${reason}.`, {
      ...cause,
      retryAfterSeconds,
    })
  }
  if (!(error instanceof S3Error)) return error
  const fault = setupFaults[error.code] ?? (error.status === 403 ? 'refuses the credentials' : undefined)
  if (fault) return serviceError('unavailable', `The object store ${fault} (${error.code}).`, cause)
  return serviceError('upstream_failed', `The object store refused the request: ${error.code}.`, cause)
}

/** When to ask a store again. */
export const s3RetryPolicy: RetryPolicy = {
  isRetryable,
  retryAfterSeconds: (error) => (error instanceof S3Error ? (error.retryAfterSeconds ?? 0) : 0),
  onExhausted: toStoreError,
}
