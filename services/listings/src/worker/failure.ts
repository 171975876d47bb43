import { isServiceError, type ServiceError, serviceError } from '@trellis/kit/errors'

/** Why a part of a run has failed, as plain JSON: the rest of the run goes on. */
export type PartFailure = {
  readonly failure: string | null
  /** Whether the marketplace took too long. Workers of older versions do not report this. */
  readonly timedOut?: boolean
  /** When to try again, if the marketplace named a time. */
  readonly retryAfterSeconds?: number
}

/** An error as a part of an output. */
export const partFailure = (error: unknown): PartFailure => {
  const failure = error instanceof Error ? error.message : String(error)
  if (!isServiceError(error)) return { failure }
  const { retryAfterSeconds } = error
  return {
    failure,
    ...(isServiceError(error, 'upstream_timeout') ? { timedOut: true } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/** The error of a call whose only part has failed; undefined if it has not. */
export const errorOfPart = ({ failure, timedOut, retryAfterSeconds }: PartFailure): ServiceError | undefined =>
  failure === null
    ? undefined
    : serviceError(
        timedOut === true ? 'upstream_timeout' : 'upstream_failed',
        failure,
        retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
      )
