import { JetStreamApiError, jetstream, jetstreamManager, type StoredMsg, type StreamInfo } from '@nats-io/jetstream'
import { connect, errors, type NatsConnection } from '@nats-io/transport-node'
import { serviceError } from '../../errors/mod.ts'
import { type RetryPolicy, retry } from '../../retry/mod.ts'
import type { NatsLocation } from '../location.ts'
import { storeRetries } from '../store-retries.ts'
import { createSubjects, type Subjects } from './subjects.ts'

/** JetStream error codes that are handled. */
const streamExists = 10058
const streamMissing = 10059
const wrongLastSequence = 10071
const requestMilliseconds = 5_000
/** Subjects per request. They, of at most a kilobyte each, must fit into a message. */
export const batchSubjects = 500
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

/** The stream's metadata key for the last sequence that it had when content ids got a folder. */
const lastWithoutFolders = 'trellis-last-without-folders'

type Streams = Awaited<ReturnType<typeof jetstreamManager>>['streams']

/** Creates the stream; one that exists, maybe with settings of an administrator, is left as it is. */
const createStream = async (streams: Streams, { stream, all }: Subjects, replicas: number): Promise<void> => {
  try {
    await streams.add({
      name: stream,
      subjects: [all],
      num_replicas: replicas,
      allow_direct: true,
      discard: 'new',
      metadata: { [lastWithoutFolders]: '0' },
    })
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === streamExists)) throw error
  }
}

/** The stream's state and settings; undefined where it does not exist. */
const findStream = async (streams: Streams, stream: string) => {
  try {
    return await streams.info(stream)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === streamMissing) return undefined
    throw error
  }
}

/** The last sequence at which a manifest may name content without a folder; infinite in a stream of an earlier version. */
const lastWithoutFoldersOf = ({ config }: Pick<StreamInfo, 'config'>): number =>
  Number(config.metadata?.[lastWithoutFolders] ?? Number.POSITIVE_INFINITY)

/**
 * Opens a bucket, which is a stream. Its owner creates the stream when it does not exist, and removes messages; a worker of another
 * account, which has `apiPrefix`, only adds messages. Throws `unavailable`.
 */
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
  const isOwner = location.apiPrefix === undefined
  try {
    const info = await retry(natsRetryPolicy, async () => {
      const found = await findStream(manager.streams, stream)
      if (found) return found
      await createStream(manager.streams, subjects, location.replicas)
      return manager.streams.info(stream)
    })
    let lastSequenceWithoutFolders = lastWithoutFoldersOf(info)
    return {
      ...{ connection, subjects, stream, isOwner },
      /** Whether a manifest with this sequence may name content without a folder. */
      mayLackFolder: (sequence: number) => sequence <= lastSequenceWithoutFolders,
      /**
       * Upgrades a stream of an earlier version, once no process of that version is left: forbids messages that replace others
       * (`Nats-Rollup`): any writer of a file could empty the stream with one.
       */
      upgrade: () =>
        retry(natsRetryPolicy, async () => {
          const { config, state } = await manager.streams.info(stream)
          const metadata = { ...config.metadata, [lastWithoutFolders]: String(state.last_seq) }
          const upgraded = config.allow_rollup_hdrs
            ? await manager.streams.update(stream, { allow_rollup_hdrs: false, metadata })
            : { config }
          lastSequenceWithoutFolders = lastWithoutFoldersOf(upgraded)
        }),
      publish: streams.publish.bind(streams),
      streams: manager.streams,
      direct: manager.direct,
      /** The last message of a subject, read from the stream's leader (read your writes). */
      last: (subject: string) =>
        retry(natsRetryPolicy, () => manager.streams.getMessage(stream, { last_by_subj: subject })),
      /** The last messages of subjects, as far as the answering server has them. */
      lastOfEach: async (subjects: readonly string[]) => {
        const found: StoredMsg[] = []
        for (let at = 0; at < subjects.length; at += batchSubjects) {
          const multi_last = subjects.slice(at, at + batchSubjects)
          const batch = await retry(natsRetryPolicy, async () =>
            Array.fromAsync(await manager.direct.getLastMessagesFor(stream, { multi_last })),
          )
          found.push(...batch)
        }
        return found
      },
      /** Deletes the messages of a subject, with `before` only those with lower sequences. For the owner. */
      purge: (subject: string, before?: number) =>
        retry(natsRetryPolicy, () =>
          manager.streams.purge(stream, { filter: subject, ...(before !== undefined && { seq: before }) }),
        ),
      close: () => connection.close(),
    }
  } catch (error) {
    await connection.close()
    throw error instanceof JetStreamApiError
      ? serviceError('unavailable', `The NATS store of files could not be opened: ${error.message}.`, { cause: error })
      : error
  }
}

export type Bucket = Awaited<ReturnType<typeof openBucket>>
