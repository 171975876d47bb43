import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '../bus.ts'
import { type Reader, type ReaderOptions, type Ring, read } from '../ring.ts'
import { type BackfillOptions, createBackfill, type Position } from './backfill.ts'
import { steadyNow } from './clock.ts'
import { ConnectionLost } from './errors.ts'
import { createIdleTracker } from './idle-tracker.ts'
import type { StreamShape, Streams } from './streams.ts'
import { heartbeatMilliseconds } from './subject-consumer.ts'

/** How far the clocks of two servers of a cluster may differ when one takes over from the other, in milliseconds. */
const clockAllowance = 200
const pauseMilliseconds = { first: 50, max: 2_000 }
/** Failures in a row past which they are warned of. */
const seriousFailures = 3
/** What has gone well for this long begins with the first pause again, in milliseconds. */
const steadyMilliseconds = 10_000

/** A reader whose place is taken, and who waits for the events around it to be here. */
type Claim<Event> = { after: number | 'start'; options: ReaderOptions; give: (reader: Reader<Event>) => void }

type TopicReaderOptions<Event> = BackfillOptions<Event> & {
  stream: StreamShape
  streams: Streams
  /** Ends with the bus. */
  signal: AbortSignal
  idleMilliseconds: number
  /** Nobody has read for long: the feed has let go of everything and must not be used again. */
  onIdle: () => void
}

/** One topic in this process: a ring that is kept filled as long as somebody reads, and places in it. */
export const createTopicReader = <Event>(options: TopicReaderOptions<Event>) => {
  const { topic, stream, connection, streams, highWaterMark, log, signal: closing } = options
  const ending = new AbortController()
  const ended = AbortSignal.any([ending.signal, closing])
  const filling = createBackfill(options)
  const claims = new Set<Claim<Event>>()
  let breakDown: (error: Error) => void = () => undefined
  let isSettling = false

  const idleTracker = createIdleTracker(options.idleMilliseconds, () => {
    ending.abort()
    options.onIdle()
  })

  const places = (): Position[] =>
    [...claims].map(({ after, options: { before } }) =>
      after === 'start' && before !== undefined ? { after, since: before } : { after },
    )

  /** Gives a claim its reader, if all that it asks for is in the ring. */
  const give = (ring: Ring<Event>, { after, options: place, give: giveReader }: Claim<Event>): boolean => {
    const isHere =
      after === 'start'
        ? place.before !== undefined || filling.reaches(0)
        : filling.reaches(after) && after <= Math.max(ring.newest(), highWaterMark.seen())
    if (isHere) giveReader(ring.reader(after, place))
    return isHere
  }

  /** Brings what claims still lack: older events, or certainty about numbers that are new here. */
  const bring = async (ring: Ring<Event>) => {
    if ([...claims].some(({ after }) => !filling.reaches(after === 'start' ? 0 : after))) return filling.loadOlder()
    await filling.look()
    for (const claim of claims) {
      if (claim.after === 'start' || claim.after <= highWaterMark.seen()) continue
      // A number that nobody has given: what its reader has seen is not to be known, so it begins anew, with a gap.
      claims.delete(claim)
      claim.give(ring.reader('latest', { gap: true }))
    }
  }

  const settle = async () => {
    if (isSettling) return
    isSettling = true
    try {
      const ring = filling.ring()
      while (ring && claims.size > 0) {
        for (const claim of claims) if (give(ring, claim)) claims.delete(claim)
        if (claims.size > 0) await bring(ring)
      }
    } finally {
      isSettling = false
    }
  }

  /** Keeps the ring filled until something breaks; throws what it was. */
  const fill = async () => {
    await connection.connected(ended)
    const broken = Promise.withResolvers<never>()
    broken.promise.catch(() => undefined)
    breakDown = broken.reject
    const forget = connection.onLost(() => breakDown(new ConnectionLost('The connection was lost.')))
    const stop = () => breakDown(new ConnectionLost('Nobody reads any more.'))
    ended.addEventListener('abort', stop, { once: true })
    try {
      await streams.ensure(stream)
      await filling.open(places, broken.reject)
      await settle()
      await broken.promise
    } finally {
      forget()
      ended.removeEventListener('abort', stop)
      filling.close()
    }
  }

  const run = async () => {
    let pause = pauseMilliseconds.first
    let failures = 0
    while (!ended.aborted) {
      const startedAt = performance.now()
      const error = await fill().catch((thrown: unknown) => thrown)
      if (ended.aborted) return
      const wentWell = performance.now() - startedAt > steadyMilliseconds
      pause = wentWell ? pauseMilliseconds.first : Math.min(pause * 2, pauseMilliseconds.max)
      failures = wentWell || error instanceof ConnectionLost ? 0 : failures + 1
      if (failures > 0) streams.doubt(stream.name)
      // One failure is a server that was busy, and all topics have it at once; several are something to see to.
      const tell = failures > seriousFailures ? log.warn : log.debug
      tell.call(log, { err: error, topic: topic.name }, 'a topic is listened to anew')
      await sleep(pause, undefined, { signal: ended }).catch(() => undefined)
    }
  }

  /** Takes a place now; the reader comes when the events around it are here. */
  const claim = (after: number | 'start' | 'latest'): Promise<Reader<Event>> | Reader<Event> => {
    const ring = filling.ring()
    const through = highWaterMark.seen()
    if (after === 'latest' && ring && filling.isLive()) return ring.reader('latest', { through })
    const before = steadyNow() - clockAllowance
    if (after === 'latest' && ring) return ring.reader('latest', { through, before })
    const { promise, resolve } = Promise.withResolvers<Reader<Event>>()
    if (after === 'latest') claims.add({ after: 'start', options: { through, before }, give: resolve })
    else claims.add({ after, options: after === 'start' ? {} : { through: after }, give: resolve })
    if (filling.isLive()) settle().catch((error: Error) => breakDown(error))
    return promise
  }

  const running = run()

  return {
    subscribe: (after: number | 'start' | 'latest', signal: AbortSignal): AsyncIterable<Delivery<Event>> => {
      const leave = idleTracker.enter(signal)
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
            const ring = filling.ring()
            if (ready && ring) yield* read(ring, ready, stop)
          } finally {
            stop.removeEventListener('abort', onStop)
            leave()
          }
        },
      }
    },
    /** Listens anew when the server has been silent for too long. */
    checkPulse: () => {
      const receivedAt = filling.receivedAt() ?? Number.POSITIVE_INFINITY
      if (performance.now() - receivedAt > 3 * heartbeatMilliseconds) breakDown(new Error('the server is silent'))
    },
    /** Resolves when an ended feed has let go of everything. */
    ended: () => running,
  }
}

export type TopicReader<Event> = ReturnType<typeof createTopicReader<Event>>
