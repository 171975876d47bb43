import { type ErrorKind, errorKinds } from './registry.ts'

/** What the `detail` of an error body holds: a sentence, a list of faulty fields (422), or an object where a spec asks for one. */
export type Detail = string | { loc: (string | number)[]; msg: string; type: string }[] | Record<string, unknown>

export type ServiceErrorOptions = {
  cause?: unknown
  /** Sent as `Retry-After`, in whole seconds. */
  retryAfterSeconds?: number
  /** Further response headers, lower case. */
  headers?: Record<string, string>
}

/** A detail in words, for logs and reports: of a list, what it says of each field, with the field where that does not name it. */
const sentenceOf = (detail: Detail): string => {
  if (typeof detail === 'string') return detail
  if (!Array.isArray(detail)) return JSON.stringify(detail)
  return detail
    .map(({ loc, msg }) =>
      msg.includes(String(loc.at(-1))) || loc.length < 2 ? msg : `${loc.slice(1).join('.')} ${msg}`,
    )
    .join(' ')
}

/** A failure that its receiver may read: the status it means and a detail that says what to do. Anything else thrown is a 500 without text. */
export class ServiceError extends Error {
  readonly kind: ErrorKind
  readonly detail: Detail
  readonly retryAfterSeconds: number | undefined
  readonly headers: Record<string, string>

  constructor(kind: ErrorKind, detail: Detail, options: ServiceErrorOptions = {}) {
    super(sentenceOf(detail), { cause: options.cause })
    this.name = 'ServiceFailure'
    this.kind = kind
    this.detail = detail
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return errorKinds[this.kind].status
  }
}

/** Makes a failure to throw: `throw failure('not_found', 'There is no chain with id 7.')`. */
export const serviceError = (kind: ErrorKind, detail: Detail, options?: ServiceErrorOptions): ServiceError =>
  new ServiceError(kind, detail, options)

/** A 422 about one field; `location` as in `['query', 'limit']` or `['body', 'takes']`. */
export const invalidField = (location: (string | number)[], message: string, type = 'value_error'): ServiceError =>
  serviceError('invalid', [{ loc: location, msg: message, type }])

export const isServiceError = (error: unknown, kind?: ErrorKind): error is ServiceError =>
  error instanceof ServiceError && (kind === undefined || error.kind === kind)

/** What a call fails with whose caller has left: no fault, and not logged as one. */
export const cancelled = (cause?: unknown): ServiceError =>
  serviceError('cancelled', 'The caller left before the answer.', { cause })

/** As `toServiceError`; what a call throws after its signal aborted is its cancellation. */
export const toCallError = (error: unknown, signal: AbortSignal | undefined): ServiceError =>
  signal?.aborted && !isServiceError(error) ? cancelled(error) : toServiceError(error)

/** Any thrown value as a failure: what is not one already becomes `internal`, its text kept out of the answer and in `cause`. */
export const toServiceError = (error: unknown): ServiceError =>
  error instanceof ServiceError
    ? error
    : serviceError('internal', 'Something went wrong here. The request id in the response finds it in the log.', {
        cause: error,
      })
