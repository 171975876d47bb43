import { isDiskFull } from './disk-full.ts'
import { type ErrorKind, errorKinds } from './registry.ts'

/** The `detail` of an error body: a sentence, a list of invalid fields (422), or an object where a spec requires one. */
export type Detail = string | { loc: (string | number)[]; msg: string; type: string }[] | Record<string, unknown>

export type ServiceErrorOptions = {
  cause?: unknown
  /** Sent as `Retry-After`, in whole seconds. */
  retryAfterSeconds?: number
  /** Further response headers, lower case. */
  headers?: Record<string, string>
}

/** A detail as text, for logs and reports: for a list, the message of each field, prefixed with the field if the message does not name it. */
const sentenceOf = (detail: Detail): string => {
  if (typeof detail === 'string') return detail
  if (!Array.isArray(detail)) return JSON.stringify(detail)
  return detail
    .map(({ loc, msg }) =>
      msg.includes(String(loc.at(-1))) || loc.length < 2 ? msg : `${loc.slice(1).join('.')} ${msg}`,
    )
    .join(' ')
}

/** An error for the client: its kind implies the status, and its detail states what to do. Any other thrown error becomes a 500 without details. */
export class ServiceError extends Error {
  readonly kind: ErrorKind
  readonly detail: Detail
  readonly retryAfterSeconds: number | undefined
  readonly headers: Record<string, string>

  constructor(kind: ErrorKind, detail: Detail, options: ServiceErrorOptions = {}) {
    super(sentenceOf(detail), { cause: options.cause })
    this.name = 'ServiceError'
    this.kind = kind
    this.detail = detail
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return errorKinds[this.kind].status
  }
}

/** Creates an error to throw: `throw serviceError('not_found', 'There is no chain with id 7.')`. */
export const serviceError = (kind: ErrorKind, detail: Detail, options?: ServiceErrorOptions): ServiceError =>
  new ServiceError(kind, detail, options)

/** The detail of a 422 about text that databases cannot store. The edge finds out which field it is. */
export const nullCharacterDetail = 'Text must not contain the character U+0000.'

/** A 422 about one field; `location` is `['query', 'limit']` or `['body', 'takes']`, for example. */
export const invalidField = (location: (string | number)[], message: string, type = 'value_error'): ServiceError =>
  serviceError('invalid', [{ loc: location, msg: message, type }])

export const isServiceError = (error: unknown, kind?: ErrorKind): error is ServiceError =>
  error instanceof ServiceError && (kind === undefined || error.kind === kind)

/** The error of a call whose caller has disconnected; it is not logged as an error. */
export const cancelled = (cause?: unknown): ServiceError =>
  serviceError('cancelled', 'The caller left before the answer.', { cause })

/** Like `toServiceError`, but an error after the abort of the call's signal counts as its cancellation. */
export const toCallError = (error: unknown, signal: AbortSignal | undefined): ServiceError =>
  signal?.aborted && !isServiceError(error) ? cancelled(error) : toServiceError(error)

/** Ids that find an error in the log, of what the client sees: its response, or a run that no response belongs to. */
const idsInLog = { response: 'request id in the response', run: 'id of the run' } as const

/**
 * Converts a thrown value to a ServiceError. A full disk is `unavailable`; others become `internal`, with the original in `cause` and its text hidden
 * from the client.
 */
export const toServiceError = (error: unknown, seenIn: keyof typeof idsInLog = 'response'): ServiceError => {
  if (error instanceof ServiceError) return error
  if (isDiskFull(error))
    return serviceError('unavailable', 'The disk of the server is full. Try again when there is space on it.', {
      cause: error,
      retryAfterSeconds: 60,
    })
  return serviceError('internal', `Something went wrong here. The ${idsInLog[seenIn]} finds it in the log.`, {
    cause: error,
  })
}
