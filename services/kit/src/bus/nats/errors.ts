import { JetStreamApiError } from '@nats-io/jetstream'
import { type ServiceError, serviceError } from '../../errors/mod.ts'

/** JetStream error codes that the bus handles. */
export const apiCodes = {
  /** Not enough servers are up for the replicas of a stream to create. */
  tooFewPeers: 10005,
  /** The account allows a stream fewer consumers, or the stream has reached its limit. */
  tooManyConsumers: 10026,
  invalidStreamConfig: 10052,
  messageTooLarge: 10054,
  streamNameInUse: 10058,
  streamNotFound: 10059,
  /** The value changed after it was read. */
  wrongLastSequence: 10071,
  /** Either a full stream or a subject that already holds its one message; the text distinguishes them. */
  limitReached: 10077,
  consumerExists: 10148,
} as const

export const isApiError = (error: unknown, code: number): error is JetStreamApiError =>
  error instanceof JetStreamApiError && error.code === code

/** The connection was lost during a request; its outcome is unknown. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

/** The caller's error when the server cannot be reached or cannot comply: a 503 with a time to retry after. */
export const unavailable = (cause: unknown): ServiceError =>
  serviceError('unavailable', 'The message server cannot be reached or is overloaded. Try again shortly.', {
    cause,
    retryAfterSeconds: 5,
  })

/** The caller's error for a message beyond the server's maximum size. */
export const tooLarge = (what: string, bytes: number, limit: number): ServiceError =>
  serviceError('too_large', `${what} has ${bytes} bytes; the message server accepts at most ${limit}.`)
