/** What the API server says of a failure (`meta/v1 Status`), as far as it is used. */
export type Status = {
  message?: string
  reason?: string
  code?: number
  details?: {
    name?: string
    kind?: string
    retryAfterSeconds?: number
    causes?: readonly { reason?: string; message?: string; field?: string }[]
  }
}

/** The API server's refusal: its HTTP status, and the words of its Status. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** HTTP status. */
  readonly status: number
  /** The machine's word for it, as `NotFound`, `Conflict`, `Expired`; empty where the answer was not the API server's. */
  readonly reason: string
  readonly details: Status['details']
  /** Milliseconds that the server asks to be left alone. */
  readonly retryAfter: number | undefined

  constructor(status: number, { message, reason = '', details }: Status, retryAfter?: number) {
    super(message ?? `The API server answered ${status}.`)
    this.status = status
    this.reason = reason
    this.details = details
    this.retryAfter = retryAfter ?? (details?.retryAfterSeconds ? details.retryAfterSeconds * 1_000 : undefined)
  }
}

/** No answer came: the connection could not be made, broke, or took too long. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
  /** Whether the request may have reached the server all the same. */
  readonly maybeSent: boolean

  constructor(message: string, { maybeSent, cause }: { maybeSent: boolean; cause?: unknown }) {
    super(message, { cause })
    this.maybeSent = maybeSent
  }
}

/** A write that was not made because the process does not, or no longer, lead. */
export class NotLeader extends Error {
  override name = 'NotLeader'
}

const hasStatus = (error: unknown, status: number): boolean => error instanceof ApiError && error.status === status

export const isNotFound = (error: unknown): boolean => hasStatus(error, 404)

/** Somebody else wrote first: the resourceVersion or the uid is not the one that was named. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.reason !== 'AlreadyExists'

export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.reason === 'AlreadyExists'

/** What was to be written breaks a rule of its kind. */
export const isInvalid = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 422

/** What was to be written is not let in for what it is: by a rule of its kind, a quota, a policy, or a right that is missing. */
export const isRefused = (error: unknown): error is ApiError =>
  isInvalid(error) || (error instanceof ApiError && error.status === 403)

/** The resourceVersion or continue token is older than what the server remembers: list again. */
export const isExpired = (error: unknown): boolean => hasStatus(error, 410)

/** The namespace is going away, and takes nothing in. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status === 403 &&
  (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')

/** Reads a `Retry-After` header, in seconds or as a date; gives milliseconds. */
export const readRetryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined || header === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** The error that an answer's body tells of; anything but a Status is quoted, shortened. */
export const readApiError = (status: number, body: string, retryAfter?: number): ApiError => {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null && (parsed as { kind?: unknown }).kind === 'Status')
      return new ApiError(status, parsed as Status, retryAfter)
  } catch {
    // Proxies and load balancers answer in their own words.
  }
  return new ApiError(status, { message: `The API server answered ${status}: ${body.slice(0, 500)}` }, retryAfter)
}
