/** The API server's error response (`meta/v1 Status`), reduced to the fields used here. */
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

/** An error response of the API server: its HTTP status and the contents of its Status. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** HTTP status. */
  readonly status: number
  /**
   * Machine-readable reason such as `NotFound`, `Conflict` or `Expired`; empty if the response did not come from the
   * API server.
   */
  readonly reason: string
  readonly details: Status['details']
  /** Delay in milliseconds that the server requests before a retry. */
  readonly retryAfter: number | undefined

  constructor(status: number, { message, reason = '', details }: Status, retryAfter?: number) {
    super(message ?? `The API server answered ${status}.`)
    this.status = status
    this.reason = reason
    this.details = details
    this.retryAfter = retryAfter ?? (details?.retryAfterSeconds ? details.retryAfterSeconds * 1_000 : undefined)
  }
}

/** No response arrived: the connection failed, broke or timed out. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
  /** Whether the request may have reached the server nevertheless. */
  readonly maybeSent: boolean

  constructor(message: string, { maybeSent, cause }: { maybeSent: boolean; cause?: unknown }) {
    super(message, { cause })
    this.maybeSent = maybeSent
  }
}

/** A write that was not sent because the process is not, or is no longer, the leader. */
export class NotLeader extends Error {
  override name = 'NotLeader'
}

const hasStatus = (error: unknown, status: number): boolean => error instanceof ApiError && error.status === status

export const isNotFound = (error: unknown): boolean => hasStatus(error, 404)

/** Another client wrote first: the resourceVersion or uid in the request is not the current one. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.reason !== 'AlreadyExists'

export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.reason === 'AlreadyExists'

/** The object violates a validation rule of its kind. */
export const isInvalid = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 422

/** The server rejected the object itself: by validation, a quota, an admission policy or missing RBAC permission. */
export const isRefused = (error: unknown): error is ApiError =>
  isInvalid(error) || (error instanceof ApiError && error.status === 403)

/** The resourceVersion or continue token is older than the history the server retains: list again. */
export const isExpired = (error: unknown): boolean => hasStatus(error, 410)

/** The namespace is being deleted and accepts no new objects. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status === 403 &&
  (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')

/** Parses an error response's body; anything that is not a Status is quoted, truncated to 500 characters. */
export const readApiError = (status: number, body: string, retryAfter?: number): ApiError => {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null && (parsed as { kind?: unknown }).kind === 'Status')
      return new ApiError(status, parsed as Status, retryAfter)
  } catch {
    // Proxies and load balancers respond in their own formats.
  }
  return new ApiError(status, { message: `The API server answered ${status}: ${body.slice(0, 500)}` }, retryAfter)
}
