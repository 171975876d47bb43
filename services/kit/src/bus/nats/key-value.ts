import { setTimeout as sleep } from 'node:timers/promises'
import { nanos } from '@nats-io/transport-node'
import type { Bus } from '../bus.ts'
import type { KeyValue } from '../key-value.ts'
import type { Connection } from './connection.ts'
import { apiCodes, isApiError, unavailable } from './errors.ts'
import { checkSize, Refused, refusal, type Store } from './message-store.ts'
import type { Names } from './names.ts'
import type { NatsBusLimits } from './options.ts'
import { createLanes } from './semaphore.ts'
import type { StreamShape, Streams } from './streams.ts'

/** Headroom for the headers of a value, in bytes. */
const headroom = 512
/** The longest pause before a conflicting change is retried, in milliseconds; it is random, so that two writers diverge. */
const longestPause = 20

type SharedOptions = {
  connection: Connection
  names: Names
  streams: Streams
  store: Store
  limits: NatsBusLimits
  /** Reads the last message of a subject, from the stream's leader by default; a stale answer costs another attempt. */
  readLast?: (stream: string, subject: string) => Promise<LastMessage | null>
}

type LastMessage = { data: Uint8Array; seq: number; header: { get: (name: string) => string } }

/**
 * Values that processes share: each is the last message of its own subject. The server stores a change only if the value has not
 * changed since it was read (compare-and-set on the subject's sequence); otherwise the change is computed again from the new value.
 */
export const createKeyValue = ({ connection, names, streams, store, limits, ...options }: SharedOptions) => {
  const { manager, whileConnected } = connection
  const fromLeader = (stream: string, subject: string): Promise<LastMessage | null> =>
    manager.streams.getMessage(stream, { last_by_subj: subject })
  const getLast = options.readLast ?? fromLeader
  // Changes to a value from this process are serialized, so that they do not conflict with each other.
  const serialized = createLanes()

  const shapeOf = ({ name, keepMilliseconds }: Pick<KeyValue<unknown>, 'name' | 'keepMilliseconds'>): StreamShape => ({
    name: names.sharedStream(name),
    subjects: [names.sharedSubjects(name)],
    retention: 'limits',
    discard: 'old',
    max_msgs_per_subject: 1,
    max_age: nanos(keepMilliseconds),
    duplicate_window: nanos(Math.min(keepMilliseconds, limits.publishWithinMilliseconds * 2)),
  })

  const readLast = async (stream: StreamShape, subject: string) => {
    try {
      await streams.ensure(stream)
      return await whileConnected(getLast(stream.name, subject))
    } catch (error) {
      streams.doubt(stream.name)
      throw error
    }
  }

  /** Retries a read until the deadline, because the server may be restarting. */
  const read = async (stream: StreamShape, subject: string, limit: number) => {
    for (;;) {
      try {
        await connection.connected(AbortSignal.timeout(Math.max(1, Math.ceil(limit - performance.now()))))
        return await readLast(stream, subject)
      } catch (error) {
        if (performance.now() >= limit) throw unavailable(error)
        await sleep(longestPause)
      }
    }
  }

  /** Whether the conflicting value is this change itself, stored by an attempt whose acknowledgement was lost. */
  const isOurs = async (stream: StreamShape, subject: string, { attempts, id }: Refused, limit: number) =>
    attempts > 1 && (await read(stream, subject, limit))?.header.get('Nats-Msg-Id') === id

  const attempt: Bus['update'] = async (shared, key, make) => {
    const stream = shapeOf(shared)
    const subject = names.sharedValue(shared.name, key)
    const limit = performance.now() + limits.publishWithinMilliseconds
    for (;;) {
      const present = await read(stream, subject, limit)
      const { value, result } = make(present ? shared.decode(present.data) : undefined)
      const bytes = shared.encode(value)
      checkSize(`The value of ${shared.name}`, bytes, { connection, headroom })
      const headers = { 'Nats-Expected-Last-Subject-Sequence': String(present?.seq ?? 0) }
      try {
        await store({ lane: subject, subject, bytes, stream, headers })
        return result
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        if (!isApiError(error.answer, apiCodes.wrongLastSequence)) throw refusal(error)
        if (await isOurs(stream, subject, error, limit)) return result
        if (performance.now() >= limit) throw unavailable(error)
        await sleep(Math.random() * longestPause)
      }
    }
  }

  const update: Bus['update'] = (shared, key, make) =>
    serialized(names.sharedValue(shared.name, key), () => attempt(shared, key, make))
  return { update }
}
