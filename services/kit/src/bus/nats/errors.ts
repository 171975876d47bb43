import { JetStreamApiError } from '@nats-io/jetstream'
import { type ServiceError, serviceError } from '../../errors/mod.ts'

/** Numbers of the server's answers that are more than bad luck. */
export const apiCodes = {
  /** A stream of several copies is to be made, and not enough servers are there for them at the moment. */
  tooFewPeers: 10005,
  messageTooLarge: 10054,
  streamNameInUse: 10058,
  streamNotFound: 10059,
  /** The value is no longer the one that a change was made of. */
  wrongLastSequence: 10071,
  /** Both a full stream and a subject that holds its one message; the text tells which. */
  limitReached: 10077,
  consumerExists: 10148,
} as const

export const isApiError = (error: unknown, code: number): error is JetStreamApiError =>
  error instanceof JetStreamApiError && error.code === code

/** The connection went while something was waited for: what became of it is not known. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

/** What a caller is told when the server cannot be reached or cannot do it: a 503 with the time to wait. */
export const unavailable = (cause: unknown): ServiceError =>
  serviceError(
    'unavailable',
    'The message server is not to be reached or cannot take more at present. Try again shortly.',
    {
      cause,
      retryAfterSeconds: 5,
    },
  )

/** What a caller is told of a message that the server would not take. */
export const tooLarge = (what: string, bytes: number, limit: number): ServiceError =>
  serviceError('too_large', `${what} has ${bytes} bytes; the message server takes ${limit} at most.`)
