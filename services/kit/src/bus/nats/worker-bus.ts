import { jetstreamManager } from '@nats-io/jetstream'
import { Nuid } from '@nats-io/transport-node'
import { addAbortListener } from '../../lifecycle/mod.ts'
import { createBackoff } from '../../retry/mod.ts'
import type { Bus, Delivery, WorkerBus } from '../bus.ts'
import type { Topic } from '../topic.ts'
import { type Connection, openConnection } from './connection.ts'
import { jobHeadroom } from './dead-letters.ts'
import { unavailable } from './errors.ts'
import { createKeyValue } from './key-value.ts'
import { checkSize, createMessageStore, Refused, refusal } from './message-store.ts'
import { createNames } from './names.ts'
import { defaultLimits, type NatsBusOptions } from './options.ts'
import { queueShapes } from './queue-streams.ts'
import type { StreamShape, Streams } from './streams.ts'

/** Headroom for the message's id in its headers, in bytes. */
const headroom = 256
const requestMilliseconds = 5_000
/** Pauses between reads of a topic without news: short after a wake-up, which may overtake its event, then growing. */
const pauses = { initial: 10, max: 2_000 }

/** A wait that ends when it is woken, when the time is up, or when the signal aborts. */
const createAlarm = (signal: AbortSignal) => {
  let wake: () => void = () => undefined
  let rang = false
  return {
    ring: () => {
      rang = true
      wake()
    },
    /** Whether it rang since the last wait. */
    wait: async (milliseconds: number): Promise<boolean> => {
      if (!rang && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        const timer = setTimeout(resolve, milliseconds)
        const unlink = addAbortListener(signal, resolve)
        await promise
        unlink()
        clearTimeout(timer)
      }
      const wasRung = rang
      rang = false
      return wasRung
    },
  }
}

type DirectReader = {
  /** The first message of a subject at or after a sequence of its stream. */
  next: (stream: string, subject: string, sequence: number) => Promise<DirectMessage | null>
  last: (stream: string, subject: string) => Promise<DirectMessage | null>
}
type DirectMessage = { seq: number; data: Uint8Array; header: { get: (name: string) => string } }

const createDirectReader = async ({ nats, whileConnected }: Connection): Promise<DirectReader> => {
  const { direct } = await jetstreamManager(nats, { checkAPI: false, timeout: requestMilliseconds })
  return {
    next: (stream, subject, sequence) =>
      whileConnected(direct.getMessage(stream, { seq: sequence, next_by_subj: subject })),
    last: (stream, subject) => whileConnected(direct.getMessage(stream, { last_by_subj: subject })),
  }
}

/**
 * Follows a topic by direct gets. A plain subscription to the subject only wakes the reader; events are read
 * from the stream, so that none is missed, repeated or reordered when the connection is lost in between.
 */
async function* followTopic<Event>(
  { connection, reader, names, log }: ReadingOptions,
  topic: Topic<Event>,
  { after, signal }: { after: number | 'start'; signal: AbortSignal },
): AsyncGenerator<Delivery<Event>> {
  const subject = names.topicSubject(topic.name)
  const stream = names.topicStream(topic.family)
  const alarm = createAlarm(signal)
  const subscription = connection.nats.subscribe(subject, { callback: alarm.ring })
  let cursor = after === 'start' ? 0 : after
  const backoff = createBackoff(pauses)
  try {
    while (!signal.aborted) {
      // Retried when the stream does not exist yet or the server is away.
      const message = await reader.next(stream, subject, cursor + 1).catch(() => null)
      if (signal.aborted) return
      if (message === null) {
        const wasRung = await alarm.wait(backoff.next())
        if (wasRung) backoff.reset()
        continue
      }
      backoff.reset()
      cursor = message.seq
      try {
        yield { kind: 'event', sequence: cursor, event: topic.decode(message.data) }
      } catch (error) {
        log.error(
          { err: error, topic: topic.name, sequence: cursor },
          'topic: event cannot be decoded, readers get a gap',
        )
        yield { kind: 'gap', missed: 1 }
      }
    }
  } finally {
    subscription.unsubscribe()
  }
}

type ReadingOptions = {
  connection: Connection
  reader: DirectReader
  names: ReturnType<typeof createNames>
  log: NatsBusOptions['log']
}

/**
 * The bus for workers: it stores events and jobs and reads topics, and needs no permission to create, list or delete
 * streams or consumers. The services and the operator create the streams; until they exist, storing throws
 * `unavailable` and reading waits.
 */
export const connectNatsWorkerBus = async (options: NatsBusOptions): Promise<WorkerBus> => {
  const { log, prefix = 'trellis' } = options
  const limits = { ...defaultLimits, ...options.limits }
  const names = createNames(prefix)
  const connection = await openConnection(options, limits, { isWorker: true })
  const reader = await createDirectReader(connection)
  const closing = new AbortController()
  const streams: Streams = { ensure: async () => undefined, doubt: () => undefined }
  const store = createMessageStore({ connection, streams, limits, signal: closing.signal })
  const shapes = queueShapes(names, limits)
  const tokens = new Nuid()
  const { update } = createKeyValue({ connection, names, streams, store, limits, readLast: reader.last })

  const storeMessage = async (message: { subject: string; lane: string; bytes: Uint8Array; stream: StreamShape }) => {
    try {
      return (await store(message)).sequence
    } catch (error) {
      throw error instanceof Refused ? refusal(error) : error
    }
  }
  const publish: Bus['publish'] = async (topic, event) => {
    const bytes = topic.encode(event)
    checkSize(`The event for ${topic.name}`, bytes, { connection, headroom })
    const subject = names.topicSubject(topic.name)
    const stream: StreamShape = { name: names.topicStream(topic.family), subjects: [], retention: 'limits' }
    return storeMessage({ lane: subject, subject, bytes, stream })
  }

  return {
    publish,
    update,
    lastSequence: async (topic) => {
      try {
        return (await reader.last(names.topicStream(topic.family), names.topicSubject(topic.name)))?.seq ?? 0
      } catch (error) {
        throw unavailable(error)
      }
    },
    enqueue: async (queue, value) => {
      const bytes = queue.encode(value)
      checkSize(`The job for ${queue.name}`, bytes, { connection, headroom: jobHeadroom })
      const stream = shapes.jobs(queue)
      await storeMessage({ lane: stream.name, subject: names.unnamedJob(queue.name, tokens.next()), bytes, stream })
    },
    subscribe: (topic, { after, signal }) => {
      const until = AbortSignal.any([signal, closing.signal])
      return followTopic({ connection, reader, names, log }, topic, { after, signal: until })
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await connection.close()
    },
  }
}
