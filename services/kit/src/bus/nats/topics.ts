import { nanos } from '@nats-io/transport-node'
import type { Log } from '../../telemetry/mod.ts'
import type { Bus } from '../bus.ts'
import type { Topic } from '../topic.ts'
import type { Connection } from './connection.ts'
import { unavailable } from './errors.ts'
import { createHighWaterMark, type HighWaterMark } from './high-water-mark.ts'
import { checkSize, Refused, refusal, type Store } from './message-store.ts'
import type { Names } from './names.ts'
import type { NatsBusLimits } from './options.ts'
import type { Semaphore } from './semaphore.ts'
import type { StreamShape, Streams } from './streams.ts'
import { heartbeatMilliseconds } from './subject-consumer.ts'
import { createTopicReader, type TopicReader } from './topic-reader.ts'

/** Headroom for the message's id in its headers, in bytes. */
const headroom = 256

type TopicsOptions = {
  connection: Connection
  names: Names
  streams: Streams
  store: Store
  semaphore: Semaphore
  limits: NatsBusLimits
  log: Log
  signal: AbortSignal
}

/** The topics of a process: a family is a stream, a topic one of its subjects, an event's sequence that of the stream. */
export const createTopics = ({ connection, names, streams, store, semaphore, limits, log, signal }: TopicsOptions) => {
  const marks = new Map<string, HighWaterMark>()
  const readers = new Map<string, TopicReader<unknown>>()

  const markOf = (family: string): HighWaterMark => {
    const known = marks.get(family)
    if (known) return known
    const made = createHighWaterMark()
    marks.set(family, made)
    return made
  }

  const streamOf = ({ family, keep }: Pick<Topic<unknown>, 'family' | 'keep'>): StreamShape => ({
    name: names.topicStream(family),
    subjects: [names.topicSubjects(family)],
    retention: 'limits',
    discard: 'old',
    max_msgs_per_subject: keep.events,
    max_age: nanos(keep.milliseconds),
    // Longer than a message may be sent again; the server remembers every id for this long.
    duplicate_window: nanos(Math.min(keep.milliseconds, limits.publishWithinMilliseconds * 2)),
  })

  const readerOf = <Event>(topic: Topic<Event>): TopicReader<Event> => {
    const known = readers.get(topic.name)
    if (known) return known as TopicReader<Event>
    const stream = streamOf(topic)
    const made = createTopicReader<Event>({
      topic,
      stream,
      at: { stream: stream.name, subject: names.topicSubject(topic.name) },
      connection,
      streams,
      semaphore,
      highWaterMark: markOf(topic.family),
      log,
      signal,
      idleMilliseconds: limits.idleTopicMilliseconds,
      onIdle: () => readers.delete(topic.name),
    })
    readers.set(topic.name, made as TopicReader<unknown>)
    return made
  }

  const pulse = setInterval(() => {
    if (!connection.isConnected()) return
    for (const reader of readers.values()) reader.checkPulse()
  }, heartbeatMilliseconds).unref()
  signal.addEventListener('abort', () => clearInterval(pulse), { once: true })

  const publish: Bus['publish'] = async (topic, event) => {
    const bytes = topic.encode(event)
    checkSize(`The event for ${topic.name}`, bytes, { connection, headroom })
    const subject = names.topicSubject(topic.name)
    try {
      const { sequence } = await store({ lane: subject, subject, bytes, stream: streamOf(topic) })
      markOf(topic.family).see(sequence)
      return sequence
    } catch (error) {
      throw error instanceof Refused ? refusal(error) : error
    }
  }

  const subscribe: Bus['subscribe'] = (topic, { after = 'latest', signal: until }) =>
    readerOf(topic).subscribe(after, until)

  const lastSequence: Bus['lastSequence'] = async (topic) => {
    const stream = streamOf(topic)
    const subject = names.topicSubject(topic.name)
    try {
      await streams.ensure(stream)
      const message = await connection.whileConnected(
        connection.manager.streams.getMessage(stream.name, { last_by_subj: subject }),
      )
      return message?.seq ?? 0
    } catch (error) {
      streams.doubt(stream.name)
      throw unavailable(error)
    }
  }

  return {
    publish,
    subscribe,
    lastSequence,
    /** Resolves when all readers have released everything, after the signal. */
    ended: async () => {
      await Promise.all([...readers.values()].map((reader) => reader.ended()))
    },
  }
}
