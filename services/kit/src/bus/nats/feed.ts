import { setTimeout as sleep } from 'node:timers/promises'
import { DeliverPolicy } from '@nats-io/jetstream'
import type { Msg } from '@nats-io/transport-node'
import type { Log } from '../../telemetry/mod.ts'
import type { Delivery } from '../bus.ts'
import { createRing, missing, type Numbered, type Reader, type ReaderOptions, type Ring, read } from '../ring.ts'
import type { Topic } from '../topic.ts'
import { steadyNow } from './clock.ts'
import type { Connection } from './connection.ts'
import type { DeliveryInfo } from './delivery.ts'
import { ConnectionLost } from './failures.ts'
import type { Gate } from './gate.ts'
import type { StreamShape, Streams } from './streams.ts'
import { lookAt, readSubject } from './subject.ts'
import { heartbeatMilliseconds, openSubjectConsumer, type Start, type SubjectConsumer } from './subject-consumer.ts'

/** How far the clocks of two servers of a cluster may differ when one takes over from the other, in milliseconds. */
const clockAllowance = 200
const pauseMilliseconds = { first: 50, most: 2_000 }

/** The highest number of a family's stream that this process has met: what has it or a lower one was published before now. */
export type Mark = { seen: () => number; see: (sequence: number) => void }

export const createMark = (): Mark => {
  let highest = 0
  return { seen: () => highest, see: (sequence) => (highest = Math.max(highest, sequence)) }
}

/** A reader whose place is taken, and who waits for the events around it to be here. */
type Claim<Event> = { after: number | 'start'; options: ReaderOptions; give: (reader: Reader<Event>) => void }

type FeedOptions<Event> = {
  topic: Topic<Event>
  stream: StreamShape
  subject: string
  connection: Connection
  streams: Streams
  gate: Gate
  mark: Mark
  log: Log
  /** Ends with the bus. */
  signal: AbortSignal
  idleMilliseconds: number
  /** Nobody has read for long: the feed has let go of everything and must not be used again. */
  onIdle: () => void
}

/**
 * One topic in this process: a ring, and one consumer that fills it, however many read. To open, to resume after a
 * lost connection and to have fallen behind are one thing: listen behind the last number, and ask whether anything
 * between is gone. Readers only ever see the ring.
 */
export const createFeed = <Event>(options: FeedOptions<Event>) => {
  const { topic, stream, subject, connection, streams, gate, mark, log, signal: closing } = options
  const at = { stream: stream.name, subject }
  const ending = new AbortController()
  const ended = AbortSignal.any([ending.signal, closing])
  const claims = new Set<Claim<Event>>()
  let ring: Ring<Event> | undefined
  /** Whatever is kept behind this number is in the ring. */
  let base = 0
  let clockAhead = 0
  let consumer: SubjectConsumer | undefined
  /** What has come while it was not yet clear what the ring is missing. */
  let early: [DeliveryInfo, Msg][] | undefined
  let breakDown: (error: Error) => void = () => undefined
  let settling = false
  let readers = 0
  let idle: NodeJS.Timeout | undefined

  const numbered = ({ sequence, storedAt }: DeliveryInfo, { data }: Msg): Numbered<Event> => {
    const at = storedAt - clockAhead
    try {
      return { sequence, at, event: topic.decode(data) }
    } catch (error) {
      log.error({ err: error, topic: topic.name, sequence }, 'an event cannot be read; its readers meet a gap')
      return { sequence, at, event: missing }
    }
  }

  const take = (delivery: DeliveryInfo, message: Msg) => {
    if (!ring || delivery.sequence <= ring.newest()) return
    mark.see(delivery.sequence)
    const { sequence, event, at } = numbered(delivery, message)
    ring.push(sequence, event, at)
  }

  const look = async () => {
    const state = await gate.through(() => lookAt(connection, at))
    clockAhead = state.clockAhead
    return state
  }

  const listen = async (start: Start) => {
    early = []
    consumer = await gate.through(() =>
      openSubjectConsumer(connection, {
        ...at,
        start,
        onMessage: (delivery, message) => (early ? early.push([delivery, message]) : take(delivery, message)),
        onBroken: (reason) => breakDown(new Error(reason)),
      }),
    )
    return consumer
  }

  const flow = () => {
    const waiting = early ?? []
    early = undefined
    for (const [delivery, message] of waiting) take(delivery, message)
  }

  const begin = (goneThrough: number, from: number) => {
    base = from
    ring = createRing<Event>({ keep: topic.keep, coalesceBy: topic.coalesceBy, now: steadyNow, goneThrough })
  }

  /** Begins at the earliest place that is waited for. A consumer is opened before it is asked what is gone, so that nothing goes unseen between. */
  const openFirst = async () => {
    const { newest } = await look()
    mark.see(newest)
    // Those who come from here on find nothing between their places and the newest number.
    const waiting = [...claims]
    const times = waiting.flatMap(({ options: { before } }) => before ?? [])
    if (waiting.some(({ after, options: { before } }) => after === 'start' && before === undefined)) {
      await listen({ policy: DeliverPolicy.All })
      begin((await look()).goneThrough, 0)
    } else if (times.length > 0) {
      const milliseconds = Math.min(...times) + clockAhead
      const { startsAfter } = await listen({ policy: DeliverPolicy.StartTime, milliseconds })
      begin(startsAfter, startsAfter)
    } else {
      const from = Math.min(newest, ...waiting.map(({ after }) => (after === 'start' ? newest : after)))
      await listen({ policy: DeliverPolicy.StartSequence, sequence: from + 1 })
      begin(Math.max(from, (await look()).goneThrough), from)
    }
  }

  const resume = async (known: Ring<Event>) => {
    await listen({ policy: DeliverPolicy.StartSequence, sequence: known.newest() + 1 })
    const { goneThrough } = await look()
    if (goneThrough > known.newest()) known.push(goneThrough, missing)
  }

  /** Gives a claim its reader, if all that it asks for is in the ring. */
  const give = (known: Ring<Event>, claim: Claim<Event>): boolean => {
    const { after, options: place } = claim
    const isHere =
      after === 'start'
        ? place.before !== undefined || base === 0
        : after >= base && after <= Math.max(known.newest(), mark.seen())
    if (isHere) claim.give(known.reader(after, place))
    return isHere
  }

  /** Fetches what claims still lack: older events into the ring, or certainty about numbers that are new here. */
  const fetch = async (known: Ring<Event>) => {
    const isOlder = ({ after }: Claim<Event>) => base > 0 && (after === 'start' || after < base)
    if ([...claims].some(isOlder)) {
      const older = await readSubject(connection, { ...at, through: base })
      const { goneThrough } = await look()
      known.prepend(
        older.map(({ delivery, message }) => numbered(delivery, message)),
        goneThrough,
      )
      base = 0
      return
    }
    mark.see((await look()).newest)
    for (const claim of claims) {
      if (claim.after === 'start' || claim.after <= mark.seen()) continue
      // A number that nobody has given: what its reader has seen is not to be known, so it begins anew, with a gap.
      claims.delete(claim)
      claim.give(known.reader('latest', { gap: true }))
    }
  }

  const settle = async () => {
    if (settling) return
    settling = true
    try {
      while (ring && claims.size > 0) {
        for (const claim of claims) if (give(ring, claim)) claims.delete(claim)
        if (claims.size > 0) await fetch(ring)
      }
    } finally {
      settling = false
    }
  }

  const stretch = async () => {
    await connection.connected(ended)
    const broken = Promise.withResolvers<never>()
    broken.promise.catch(() => undefined)
    breakDown = broken.reject
    const forget = connection.onLost(() => breakDown(new ConnectionLost('The connection was lost.')))
    const stop = () => breakDown(new ConnectionLost('Nobody reads any more.'))
    ended.addEventListener('abort', stop, { once: true })
    try {
      await streams.ensure(stream)
      if (ring) await resume(ring)
      else await openFirst()
      flow()
      await settle()
      await broken.promise
    } finally {
      forget()
      ended.removeEventListener('abort', stop)
      consumer?.close()
      consumer = undefined
      early = undefined
    }
  }

  const run = async () => {
    let pause = pauseMilliseconds.first
    while (!ended.aborted) {
      const startedAt = performance.now()
      await stretch().catch((error: unknown) => {
        if (ended.aborted || error instanceof ConnectionLost) return
        streams.doubt(stream.name)
        log.warn({ err: error, topic: topic.name }, 'a topic is listened to anew')
      })
      if (ended.aborted) return
      pause = performance.now() - startedAt > 10_000 ? pauseMilliseconds.first : pause
      await sleep(pause, undefined, { ref: false })
      pause = Math.min(pause * 2, pauseMilliseconds.most)
    }
  }

  const leave = () => {
    readers -= 1
    if (readers > 0 || ended.aborted) return
    idle = setTimeout(() => {
      ending.abort()
      options.onIdle()
    }, options.idleMilliseconds).unref()
  }

  const enter = (signal: AbortSignal): (() => void) => {
    clearTimeout(idle)
    readers += 1
    let isIn = true
    const out = () => {
      if (isIn) leave()
      isIn = false
      signal.removeEventListener('abort', out)
    }
    if (signal.aborted) out()
    else signal.addEventListener('abort', out, { once: true })
    return out
  }

  /** Takes a place now; the reader comes when the events around it are here. */
  const claim = (after: number | 'start' | 'latest'): Promise<Reader<Event>> | Reader<Event> => {
    const through = mark.seen()
    if (after === 'latest' && ring && consumer && !early) return ring.reader('latest', { through })
    const before = steadyNow() - clockAllowance
    if (after === 'latest' && ring) return ring.reader('latest', { through, before })
    const { promise, resolve: give } = Promise.withResolvers<Reader<Event>>()
    if (after === 'latest') claims.add({ after: 'start', options: { through, before }, give })
    else claims.add({ after, options: after === 'start' ? {} : { through: after }, give })
    if (ring && !early) settle().catch((error: Error) => breakDown(error))
    return promise
  }

  const running = run()

  return {
    subscribe: (after: number | 'start' | 'latest', signal: AbortSignal): AsyncIterable<Delivery<Event>> => {
      const leaveOnce = enter(signal)
      const reader = claim(after)
      const stop = AbortSignal.any([signal, closing])
      return {
        async *[Symbol.asyncIterator]() {
          const { promise: stopped, resolve } = Promise.withResolvers<undefined>()
          const onStop = () => resolve(undefined)
          if (stop.aborted) onStop()
          stop.addEventListener('abort', onStop, { once: true })
          try {
            const ready = await Promise.race([reader, stopped])
            if (ready && ring) yield* read(ring, ready, stop)
          } finally {
            stop.removeEventListener('abort', onStop)
            leaveOnce()
          }
        },
      }
    },
    /** Listens anew when the server has been silent for too long. */
    checkPulse: () => {
      const silence = performance.now() - (consumer?.heardAt() ?? Number.POSITIVE_INFINITY)
      if (silence > 3 * heartbeatMilliseconds) breakDown(new Error('the server is silent'))
    },
    /** Resolves when an ended feed has let go of everything. */
    ended: () => running,
  }
}

export type Feed<Event> = ReturnType<typeof createFeed<Event>>
