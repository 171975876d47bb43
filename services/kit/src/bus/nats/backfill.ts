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

/** Where a ring may be asked to begin: behind a number, with all that is kept, or with what was stored since a time of ours. */
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
 * A topic's ring, and the one consumer that fills it. To open, to resume after a lost connection and to have fallen
 * behind are one thing: listen behind the last number, then ask whether anything between is gone. The consumer comes
 * before the question, so that nothing can go unseen between them; what arrives meanwhile waits.
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
  /** Whatever is kept behind this number is in the ring. */
  let base = 0
  /** The server's clock less ours, at most, in milliseconds. */
  let clockAhead = 0
  let consumer: SubjectConsumer | undefined
  /** What has come while it was not yet clear what the ring is missing. */
  let early: [DeliveryInfo, Msg][] | undefined

  const numbered = ({ sequence, storedAt }: DeliveryInfo, { data }: Msg): Numbered<Event> => {
    const stored = { sequence, at: storedAt - clockAhead }
    try {
      return { ...stored, event: topic.decode(data) }
    } catch (error) {
      log.error({ err: error, topic: topic.name, sequence }, 'an event cannot be read; its readers meet a gap')
      return { ...stored, event: missing }
    }
  }

  const take = (delivery: DeliveryInfo, message: Msg) => {
    // What came from before a gap that has been told of would only confuse.
    if (!ring || delivery.sequence <= ring.newest()) return
    highWaterMark.see(delivery.sequence)
    const { sequence, event, at: time } = numbered(delivery, message)
    ring.push(sequence, event, time)
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

  /** Begins where the earliest of the places is, or so that the others can be reached by loading what is older. */
  const openFirst = async (places: () => Position[], onBroken: (error: Error) => void) => {
    const { newest } = await look()
    // Asked now, not before: whoever comes later is behind the newest number.
    const waiting = places()
    const times = waiting.flatMap((place) => (place.after === 'start' ? (place.since ?? []) : []))
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
    /** Whether all that is kept behind a number is in the ring. */
    reaches: (sequence: number) => sequence >= base,
    /** Begins to fill the ring, or goes on. `onBroken` is called when nothing more can be expected of it. */
    open: async (places: () => Position[], onBroken: (error: Error) => void) => {
      if (ring) await resume(ring, onBroken)
      else await openFirst(places, onBroken)
      const waiting = early ?? []
      early = undefined
      for (const [delivery, message] of waiting) take(delivery, message)
    },
    /** Brings what is kept from before the ring's beginning. */
    loadOlder: async () => {
      if (base === 0) return
      const older = await readSubject(connection, { ...at, withPermit: base })
      const { trimmedThrough } = await look()
      const events = older.map(({ delivery, message }) => numbered(delivery, message))
      ring?.prepend(events, trimmedThrough)
      base = 0
    },
    /** Lets `mark` know of all that is stored by now. */
    look,
    /** When the server was last heard, by the process's clock; undefined without a consumer. */
    receivedAt: () => consumer?.receivedAt(),
    /** Stops filling; the ring stays, for those who read and for going on. */
    close: () => {
      consumer?.close()
      consumer = undefined
      early = undefined
    },
  }
}

export type Backfill<Event> = ReturnType<typeof createBackfill<Event>>
