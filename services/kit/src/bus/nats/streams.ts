import type { StreamConfig, StreamInfo } from '@nats-io/jetstream'
import type { Log } from '../../telemetry/mod.ts'
import type { Connection } from './connection.ts'
import { apiCodes, ConnectionLost, isApiError } from './errors.ts'
import type { NatsStorage } from './options.ts'
import type { Semaphore } from './semaphore.ts'

/** The desired configuration of a stream; settings that all streams share are added. */
export type StreamShape = Pick<StreamConfig, 'name' | 'subjects' | 'retention'> & Partial<StreamConfig>

type StreamsOptions = { connection: Connection; semaphore: Semaphore; storage: NatsStorage; log: Log }

/**
 * Maximum consumers of a stream: a process takes one for each topic that it reads, such as the updates of one search. Servers that have a default of
 * their own allow 1,000 (nats-server 2.15).
 */
const maxConsumers = 100_000

/** Codes by which a server refuses `max_consumers`: the account allows fewer, or the limit of an existing stream is fixed (nats-server 2.12). */
const refusals = [apiCodes.tooManyConsumers, apiCodes.invalidStreamConfig]

/** Settings that can change on an existing stream; a release with other values updates them at first use. */
const changeable = [
  'max_consumers',
  'max_msgs',
  'max_msgs_per_subject',
  'max_age',
  'max_bytes',
  'duplicate_window',
  'num_replicas',
  'allow_direct',
] as const

/** Creates or updates each stream at its first use. */
export const createStreams = ({ connection, semaphore, storage, log }: StreamsOptions) => {
  const { manager, whileConnected } = connection
  const ensured = new Map<string, Promise<void>>()

  const find = async (name: string): Promise<StreamInfo | undefined> => {
    try {
      return await manager.streams.info(name)
    } catch (error) {
      if (isApiError(error, apiCodes.streamNotFound)) return undefined
      throw error
    }
  }

  /** Applies settings; a server that refuses the limit of consumers applies its own. */
  const apply = async <Settings extends Partial<StreamConfig>>(
    settings: Settings,
    request: (settings: Settings | Omit<Settings, 'max_consumers'>) => Promise<unknown>,
  ): Promise<void> => {
    try {
      await request(settings)
    } catch (error) {
      if (settings.max_consumers === undefined || !refusals.some((code) => isApiError(error, code))) throw error
      const { max_consumers: _refused, ...others } = settings
      await request(others)
    }
  }

  const update = async ({ config: { name, ...present } }: StreamInfo, desired: StreamShape) => {
    if (present.storage !== storage.kind)
      log.warn({ stream: name, storage: present.storage }, 'stream: storage cannot be changed, left as created')
    const differing = changeable.filter((key) => desired[key] !== undefined && desired[key] !== present[key])
    if (differing.length === 0) return
    const change: Partial<StreamConfig> = Object.fromEntries(differing.map((key) => [key, desired[key]]))
    await apply(change, (settings) => manager.streams.update(name, settings))
    log.info({ stream: name, changed: differing }, 'stream: settings updated')
  }

  const make = async (shape: StreamShape): Promise<void> => {
    const desired: StreamShape = {
      ...shape,
      num_replicas: storage.replicas,
      max_bytes: storage.maxStreamBytes ?? -1,
      max_consumers: maxConsumers,
      // Workers read by direct get only: they may not create consumers.
      allow_direct: true,
    }
    const present = await find(shape.name)
    if (present) return update(present, desired)
    try {
      // Sequences start at the clock's microseconds, so that a stream that was lost and created again reuses none.
      await apply({ ...desired, storage: storage.kind, first_seq: Date.now() * 1_000 }, (settings) =>
        manager.streams.add(settings),
      )
    } catch (error) {
      // Another process created it first.
      if (!isApiError(error, apiCodes.streamNameInUse)) throw error
    }
  }

  return {
    /** Resolves when the stream exists as desired; queries the server once per process. Throws the server's error. */
    ensure: (shape: StreamShape): Promise<void> => {
      const known = ensured.get(shape.name)
      if (known !== undefined) return known
      const making = semaphore
        .withPermit(() => whileConnected(make(shape)))
        .catch((error: unknown) => {
          ensured.delete(shape.name)
          if (!(error instanceof ConnectionLost))
            log.error({ err: error, stream: shape.name }, 'stream: could not be created or updated')
          throw error
        })
      ensured.set(shape.name, making)
      return making
    },
    /** Invalidates a stream that may be gone, so that its next use checks again. */
    doubt: (name: string) => {
      ensured.delete(name)
    },
  }
}

export type Streams = ReturnType<typeof createStreams>
