import type { StreamConfig, StreamInfo } from '@nats-io/jetstream'
import type { Log } from '../../telemetry/mod.ts'
import type { Connection } from './connection.ts'
import { apiCodes, ConnectionLost, isApiError } from './errors.ts'
import type { NatsStorage } from './options.ts'
import type { Semaphore } from './semaphore.ts'

/** What a stream of ours is to be; what is common to all of them is added. */
export type StreamShape = Pick<StreamConfig, 'name' | 'subjects' | 'retention'> & Partial<StreamConfig>

type StreamsOptions = { connection: Connection; semaphore: Semaphore; storage: NatsStorage; log: Log }

/** Settings that a running stream may be given anew; a release that keeps more or less changes them at its first use. */
const changeable = [
  'max_msgs',
  'max_msgs_per_subject',
  'max_age',
  'max_bytes',
  'duplicate_window',
  'num_replicas',
  'allow_direct',
] as const

/** Makes the streams that are needed, once each, when they are first needed. */
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

  const update = async ({ config: { name, ...present } }: StreamInfo, desired: StreamShape) => {
    if (present.storage !== storage.kind)
      log.warn({ stream: name, storage: present.storage }, 'a stream keeps the storage that it was made with')
    const differing = changeable.filter((key) => desired[key] !== undefined && desired[key] !== present[key])
    if (differing.length === 0) return
    await manager.streams.update(name, Object.fromEntries(differing.map((key) => [key, desired[key]])))
    log.info({ stream: name, changed: differing }, 'a stream keeps messages by new rules')
  }

  const make = async (shape: StreamShape): Promise<void> => {
    const desired: StreamShape = {
      ...shape,
      num_replicas: storage.replicas,
      max_bytes: storage.maxStreamBytes ?? -1,
      // Workers read by direct get alone: they may create no consumers.
      allow_direct: true,
    }
    const present = await find(shape.name)
    if (present) return update(present, desired)
    try {
      // Numbered from the clock's microseconds: a stream that was lost and made again uses no number twice.
      await manager.streams.add({ ...desired, storage: storage.kind, first_seq: Date.now() * 1_000 })
    } catch (error) {
      // Another process was first.
      if (!isApiError(error, apiCodes.streamNameInUse)) throw error
    }
  }

  return {
    /** Resolves when the stream is there as it should be; asks the server once a process. Throws what the server says. */
    ensure: (shape: StreamShape): Promise<void> => {
      const known = ensured.get(shape.name)
      if (known !== undefined) return known
      const making = semaphore
        .withPermit(() => whileConnected(make(shape)))
        .catch((error: unknown) => {
          ensured.delete(shape.name)
          if (!(error instanceof ConnectionLost))
            log.error({ err: error, stream: shape.name }, 'a stream could not be made ready')
          throw error
        })
      ensured.set(shape.name, making)
      return making
    },
    /** Says that a stream may be gone, so that the next need of it looks again. */
    doubt: (name: string) => {
      ensured.delete(name)
    },
  }
}

export type Streams = ReturnType<typeof createStreams>
