import { DeliverPolicy } from '@nats-io/jetstream'
import type { Msg } from '@nats-io/transport-node'
import type { Log } from '../../telemetry/mod.ts'
import { createRing, missing, type Numbered, type Ring } from '../ring.ts'
import type { Topic } from '../topic.ts'
import { steadyNow } from './clock.ts'
import type { Connection } from './connection.ts'
import type { DeliveryInfo } from './delivery.ts'
import type { HighWaterMark } from './high-water-mark.ts'
import type { Semaphore } from './semaphore.ts'
import { readSubject, readSubjectState } from './subject.ts'
import { openSubjectConsumer, type Start, type SubjectConsumer } from './subject-consumer.ts'

/** Where a ring starts: behind a sequence, with all retained events, or with events stored since a time on our clock. */
export type Position = { after: number } | { after: 'start'; since?: number }

export type BackfillOptions<Event> = {
  topic: Topic<Event>
  /** The stream and the subject of the topic. */
  at: { stream: string; subject: string }
  connection: Connection
  semaphore: Semaphore
  highWaterMark: HighWaterMark
  log: Log
}

/**
 * A topic's ring, and the one consumer that fills it. Opening it, and resuming after a lost connection or lost deliveries, work alike:
 * consume behind the last sequence, then check whether the stream has dropped events in between. The consumer is opened
 * before the check, so that no event is missed; events that arrive meanwhile are buffered.
 */
export const createBackfill = <Event>({
  topic,
  at,
  connection,
  semaphore,
  highWaterMark,
  log,
}: BackfillOptions<Event>) => {
  let ring: Ring<Event> | undefined
  /** All retained events behind this sequence are in the ring. */
  let base = 0
  /** Lower bound of the server's clock minus ours, in milliseconds. */
  let clockAhead = 0
  let consumer: SubjectConsumer | undefined
  /** Messages buffered until it is known what the ring is missing. */
  let early: [DeliveryInfo, Msg][] | undefined

  const numbered = ({ sequence, storedAt }: DeliveryInfo, { data }: Msg): Numbered<Event> => {
    const stored = { sequence, at: storedAt - clockAhead }
    try {
      return { ...stored, event: topic.decode(data) }
    } catch (error) {
      log.error({ err: error, topic: topic.name, sequence }, 'topic: event cannot be decoded, readers get a gap')
      return { ...stored, event: missing }
    }
  }

  const take = (delivery: DeliveryInfo, message: Msg) => {
    // Events from before a gap that readers were notified of are dropped.
    if (!ring || delivery.sequence <= ring.newest()) return
    highWaterMark.see(delivery.sequence)
    const { sequence, event, at: publishedAt } = numbered(delivery, message)
    ring.push(sequence, event, { at: publishedAt })
  }

  const look = async () => {
    const state = await semaphore.withPermit(() => readSubjectState(connection, at))
    clockAhead = state.clockAhead
    highWaterMark.see(state.newest)
    return state
  }

  const listen = async (start: Start, onBroken: (error: Error) => void) => {
    early = []
    consumer = await semaphore.withPermit(() =>
      openSubjectConsumer(connection, {
        ...at,
        start,
        onMessage: (delivery, message) => {
          if (early) early.push([delivery, message])
          else take(delivery, message)
        },
        onBroken: (reason) => onBroken(new Error(reason)),
      }),
    )
    return consumer
  }

  const begin = (trimmedThrough: number, from: number) => {
    base = from
    ring = createRing<Event>({ keep: topic.keep, coalesceBy: topic.coalesceBy, now: steadyNow, trimmedThrough })
  }

  /** Starts at the earliest of the positions; positions that lie further back are reached by `loadOlder`. */
  const openFirst = async (positions: () => Position[], onBroken: (error: Error) => void) => {
    const { newest } = await look()
    // Read after `look`: a later claim lies behind the newest sequence.
    const waiting = positions()
    const times = waiting.flatMap((position) => (position.after === 'start' ? (position.since ?? []) : []))
    const behind = waiting.flatMap(({ after }) => (after === 'start' ? [] : after))
    if (times.length + behind.length < waiting.length) {
      await listen({ policy: DeliverPolicy.All }, onBroken)
      begin((await look()).trimmedThrough, 0)
    } else if (times.length > 0) {
      const milliseconds = Math.min(...times) + clockAhead
      const { startsAfter } = await listen({ policy: DeliverPolicy.StartTime, milliseconds }, onBroken)
      begin(startsAfter, startsAfter)
    } else {
      const from = Math.min(newest, ...behind)
      await listen({ policy: DeliverPolicy.StartSequence, sequence: from + 1 }, onBroken)
      begin(Math.max(from, (await look()).trimmedThrough), from)
    }
  }

  const resume = async (known: Ring<Event>, onBroken: (error: Error) => void) => {
    await listen({ policy: DeliverPolicy.StartSequence, sequence: known.newest() + 1 }, onBroken)
    const { trimmedThrough } = await look()
    if (trimmedThrough > known.newest()) known.push(trimmedThrough, missing)
  }

  return {
    /** The ring, once it has been opened; it stays the same. */
    ring: () => ring,
    /** Whether the consumer delivers into the ring. */
    isLive: () => consumer !== undefined && early === undefined,
    /** Whether all retained events behind a sequence are in the ring. */
    reaches: (sequence: number) => sequence >= base,
    /** Starts to fill the ring, or resumes. `onBroken` is called when the consumer no longer delivers. */
    open: async (positions: () => Position[], onBroken: (error: Error) => void) => {
      if (ring) await resume(ring, onBroken)
      else await openFirst(positions, onBroken)
      const waiting = early ?? []
      early = undefined
      for (const [delivery, message] of waiting) take(delivery, message)
    },
    /** Prepends the retained events from before the ring's start. */
    loadOlder: async () => {
      if (base === 0) return
      const older = await readSubject(connection, { ...at, through: base })
      const { trimmedThrough } = await look()
      const events = older.map(({ delivery, message }) => numbered(delivery, message))
      ring?.prepend(events, trimmedThrough)
      base = 0
    },
    /** Updates the high-water mark and the clock difference from the stream's state. */
    look,
    /** When the consumer last received a message, by the process's clock; undefined without a consumer. */
    receivedAt: () => consumer?.receivedAt(),
    /** Stops filling. The ring stays, for its readers and to resume. */
    close: () => {
      consumer?.close()
      consumer = undefined
      early = undefined
    },
  }
}

export type Backfill<Event> = ReturnType<typeof createBackfill<Event>>
