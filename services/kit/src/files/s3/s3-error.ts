import { serviceError } from '../../errors/mod.ts'
import type { RetryPolicy } from '../../retry/mod.ts'
import { storeRetries } from '../store-retries.ts'

/**
 * An error answer of the store. It holds no more than the code, because bodies of such answers repeat what was
 * signed, session token included.
 */
export class S3Error extends Error {
  override name = 'S3Error'
  readonly status: number
  /** S3's error code, such as `NoSuchKey`; the status where the answer has none. */
  readonly code: string
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string | undefined, retryAfterSeconds?: number) {
    super(`The store answered ${status} ${code ?? ''}`.trim())
    this.status = status
    this.code = code ?? String(status)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const retryableCodes = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'InternalError',
  'RequestTimeout',
  'OperationAborted',
])
const retryableStatuses = new Set([408, 429, 500, 502, 503, 504])
const retryableSystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** The system's error code of a failed connection. */
export const systemCode = (error: unknown): string | undefined => {
  if (error instanceof AggregateError) return systemCode(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Whether a retry of the same request may succeed. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof S3Error
    ? retryableStatuses.has(error.status) || retryableCodes.has(error.code)
    : retryableSystemCodes.has(systemCode(error) ?? '')

/** Whether the object does not exist. Other missing things, such as the bucket, do not count. */
export const isMissing = (error: unknown): boolean => error instanceof S3Error && error.code === 'NoSuchKey'

/** Configuration errors, by S3's error code. */
const setupFaults: Record<string, string> = {
  InvalidAccessKeyId: 'does not know the access key',
  XAdminUserNotFound: 'does not know the access key',
  SignatureDoesNotMatch: 'reports that the secret key is wrong',
  AuthorizationHeaderMalformed: 'reports that the bucket is in another region',
  ExpiredToken: 'reports that the credentials have expired',
  InvalidToken: 'rejects the session token',
  AccessDenied: 'does not permit this with these credentials',
  RequestTimeTooSkewed: 'reports that the clock of this machine is wrong',
  NoSuchBucket: 'has no bucket of that name',
  PermanentRedirect: 'reports that the bucket is behind another endpoint',
}

const retryAfterSeconds = 5

/**
 * Converts a store's error for the caller: transient errors become `unavailable` with a time to retry after, configuration errors
 * `unavailable` without one, other answers of the store `upstream_failed`. Any other error is returned unchanged.
 */
export const toStoreError = (error: unknown): unknown => {
  const cause = { cause: error }
  if (isRetryable(error)) {
    const reason = error instanceof S3Error ? `it answered ${error.code}` : 'it cannot be reached'
    return serviceError('unavailable', `The object store is unavailable: ${reason}.`, {
      ...cause,
      retryAfterSeconds,
    })
  }
  if (!(error instanceof S3Error)) return error
  const fault = setupFaults[error.code] ?? (error.status === 403 ? 'rejects the credentials' : undefined)
  if (fault) return serviceError('unavailable', `The object store ${fault} (${error.code}).`, cause)
  return serviceError('upstream_failed', `The object store rejected the request: ${error.code}.`, cause)
}

/** Retry policy for requests to a store. */
export const s3RetryPolicy: RetryPolicy = {
  ...storeRetries,
  isRetryable,
  requestedPause: (error) => (error instanceof S3Error ? (error.retryAfterSeconds ?? 0) * 1_000 : undefined),
  onExhausted: toStoreError,
}
