import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, errors, type NatsConnection } from '@nats-io/transport-node'
import { serviceError } from '../../errors/mod.ts'
import { type RetryPolicy, retry } from '../../retry/mod.ts'
import type { NatsLocation } from '../location.ts'
import { storeRetries } from '../store-retries.ts'
import { createSubjects } from './subjects.ts'

/** JetStream error codes that are handled. */
const streamExists = 10058
const streamMissing = 10059
const wrongLastSequence = 10071
const requestMilliseconds = 5_000
const retryAfterSeconds = 5

export const isReplaced = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === wrongLastSequence

const isRetryable = (error: unknown): boolean => {
  if (error instanceof JetStreamApiError) return error.status === 503
  return (
    error instanceof errors.TimeoutError ||
    error instanceof errors.RequestError ||
    error instanceof errors.ConnectionError ||
    (error instanceof Error && ['JetStreamNotEnabled', 'JetStreamStatusError'].includes(error.name))
  )
}

const unavailable = (error: unknown) => {
  const reason = error instanceof JetStreamApiError ? `it answered "${error.message}"` : 'it cannot be reached'
  const options = { cause: error, retryAfterSeconds }
  return serviceError('unavailable', `The NATS store of files is unavailable: ${reason}.`, options)
}

/** Retry policy for requests to the store. */
export const natsRetryPolicy: RetryPolicy = { ...storeRetries, isRetryable, onExhausted: unavailable }

const connectTo = async ({ servers, token, user, password, tls }: NatsLocation): Promise<NatsConnection> => {
  try {
    return await connect({
      servers,
      name: 'trellis files',
      timeout: requestMilliseconds,
      maxReconnectAttempts: -1,
      ...(token === undefined ? {} : { token }),
      ...(tls === undefined
        ? {}
        : { tls: Object.fromEntries(Object.entries(tls).filter(([, path]) => path !== undefined)) }),
      ...(user === undefined ? {} : { user, pass: password ?? '' }),
    })
  } catch (error) {
    if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError) {
      throw serviceError('unavailable', 'The NATS store of files rejects the credentials.', { cause: error })
    }
    throw unavailable(error)
  }
}

/** Opens a bucket, which is a stream; creates the stream when it does not exist. Throws `unavailable`. */
export const openBucket = async (location: NatsLocation) => {
  const connection = await connectTo(location)
  const subjects = createSubjects(location.prefix, location.bucket)
  const { stream } = subjects
  const api = {
    timeout: requestMilliseconds,
    ...(location.apiPrefix !== undefined && { apiPrefix: location.apiPrefix }),
  }
  const streams = jetstream(connection, api)
  // The first request shows whether the account has JetStream; a separate check would slow down the start.
  const manager = await jetstreamManager(connection, { ...api, checkAPI: false })
  const bucket = {
    ...{ connection, subjects, stream },
    publish: streams.publish.bind(streams),
    streams: manager.streams,
    direct: manager.direct,
    /** The last message of a subject, read from the stream's leader (read your writes). */
    last: (subject: string) =>
      retry(natsRetryPolicy, () => manager.streams.getMessage(stream, { last_by_subj: subject })),
    purge: (subject: string) => retry(natsRetryPolicy, () => manager.streams.purge(stream, { filter: subject })),
    close: () => connection.close(),
  }
  try {
    await retry(natsRetryPolicy, async () => {
      // A worker may use the stream but not create it.
      const isThere = await manager.streams.info(stream).then(
        () => true,
        (error: unknown) => {
          if (error instanceof JetStreamApiError && error.code === streamMissing) return false
          throw error
        },
      )
      if (isThere) return
      try {
        await manager.streams.add({
          name: stream,
          subjects: [subjects.all],
          num_replicas: location.replicas,
          allow_direct: true,
          allow_rollup_hdrs: true,
          discard: 'new',
        })
      } catch (error) {
        // The stream exists with other settings; an operator may have changed them.
        if (!(error instanceof JetStreamApiError && error.code === streamExists)) throw error
      }
    })
    return bucket
  } catch (error) {
    await connection.close()
    throw error instanceof JetStreamApiError
      ? serviceError('unavailable', `The NATS store of files could not be opened: ${error.message}.`, { cause: error })
      : error
  }
}

export type Bucket = Awaited<ReturnType<typeof openBucket>>
