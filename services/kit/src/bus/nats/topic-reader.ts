import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoff } from '../../retry/mod.ts'
import type { Delivery } from '../bus.ts'
import { type Reader, type ReaderOptions, type Ring, read } from '../ring.ts'
import { type BackfillOptions, createBackfill, type Position } from './backfill.ts'
import { steadyNow } from './clock.ts'
import { ConnectionLost } from './errors.ts'
import { createIdleTracker } from './idle-tracker.ts'
import type { StreamShape, Streams } from './streams.ts'
import { heartbeatMilliseconds } from './subject-consumer.ts'

/** Assumed maximum clock difference between two servers of a cluster when one takes over from the other, in milliseconds. */
const clockAllowance = 200
const pauses = { initial: 50, max: 2_000 }
/** Consecutive failures past which they are logged as warnings. */
const seriousFailures = 3
/** The pause is reset once the topic has been followed without failure for this long, in milliseconds. */
const steadyMilliseconds = 10_000

/** A subscription whose position is fixed, and which waits until the events around it are in the ring. */
type Claim<Event> = { after: number | 'start'; options: ReaderOptions; resolve: (reader: Reader<Event>) => void }

type TopicReaderOptions<Event> = BackfillOptions<Event> & {
  stream: StreamShape
  streams: Streams
  /** Ends with the bus. */
  signal: AbortSignal
  idleMilliseconds: number
  /** The topic has had no reader for `idleMilliseconds`: it has released everything and must not be used again. */
  onIdle: () => void
}

/** One topic in this process: a ring that is filled as long as the topic has readers, and cursors in it. */
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

  const positions = (): Position[] =>
    [...claims].map(({ after, options: { before } }) =>
      after === 'start' && before !== undefined ? { after, since: before } : { after },
    )

  /** Resolves a claim with its reader, if all events that it needs are in the ring. */
  const fulfil = (ring: Ring<Event>, { after, options: readerOptions, resolve }: Claim<Event>): boolean => {
    const isHere =
      after === 'start'
        ? readerOptions.before !== undefined || filling.reaches(0)
        : filling.reaches(after) && after <= Math.max(ring.newest(), highWaterMark.seen())
    if (isHere) resolve(ring.reader(after, readerOptions))
    return isHere
  }

  /** Fetches what claims still lack: older events, or certainty about sequences that this process has not seen. */
  const bring = async (ring: Ring<Event>) => {
    if ([...claims].some(({ after }) => !filling.reaches(after === 'start' ? 0 : after))) return filling.loadOlder()
    await filling.look()
    for (const claim of claims) {
      if (claim.after === 'start' || claim.after <= highWaterMark.seen()) continue
      // The server never assigned this sequence, so it is unknown what the reader has seen: it restarts at the newest event, with a gap.
      claims.delete(claim)
      claim.resolve(ring.reader('latest', { gap: true }))
    }
  }

  const settle = async () => {
    if (isSettling) return
    isSettling = true
    try {
      const ring = filling.ring()
      while (ring && claims.size > 0) {
        for (const claim of claims) if (fulfil(ring, claim)) claims.delete(claim)
        if (claims.size > 0) await bring(ring)
      }
    } finally {
      isSettling = false
    }
  }

  /** Fills the ring until a failure, which it throws. */
  const fill = async () => {
    await connection.connected(ended)
    const broken = Promise.withResolvers<never>()
    broken.promise.catch(() => undefined)
    breakDown = broken.reject
    const unsubscribeLost = connection.onLost(() => breakDown(new ConnectionLost('The connection was lost.')))
    const stop = () => breakDown(new ConnectionLost('The topic has no reader any more.'))
    ended.addEventListener('abort', stop, { once: true })
    try {
      await streams.ensure(stream)
      await filling.open(positions, broken.reject)
      await settle()
      await broken.promise
    } finally {
      unsubscribeLost()
      ended.removeEventListener('abort', stop)
      filling.close()
    }
  }

  const run = async () => {
    const backoff = createBackoff(pauses)
    let failures = 0
    while (!ended.aborted) {
      const startedAt = performance.now()
      const error = await fill().catch((thrown: unknown) => thrown)
      if (ended.aborted) return
      const wentWell = performance.now() - startedAt > steadyMilliseconds
      if (wentWell) backoff.reset()
      failures = wentWell || error instanceof ConnectionLost ? 0 : failures + 1
      if (failures > 0) streams.doubt(stream.name)
      // A single failure is a busy server, and affects all topics at once; repeated ones need attention.
      const write = failures > seriousFailures ? log.warn : log.debug
      write.call(log, { err: error, topic: topic.name }, 'topic: subscribing again')
      await sleep(backoff.next(), undefined, { signal: ended }).catch(() => undefined)
    }
  }

  /** Fixes a position now; the reader follows when the events around it are in the ring. */
  const claim = (after: number | 'start' | 'latest'): Promise<Reader<Event>> | Reader<Event> => {
    const ring = filling.ring()
    const through = highWaterMark.seen()
    if (after === 'latest' && ring && filling.isLive()) return ring.reader('latest', { through })
    const before = steadyNow() - clockAllowance
    if (after === 'latest' && ring) return ring.reader('latest', { through, before })
    const { promise, resolve } = Promise.withResolvers<Reader<Event>>()
    if (after === 'latest') claims.add({ after: 'start', options: { through, before }, resolve })
    else claims.add({ after, options: after === 'start' ? {} : { through: after }, resolve })
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
    /** Subscribes again when the server has been silent for too long. */
    checkPulse: () => {
      const receivedAt = filling.receivedAt() ?? Number.POSITIVE_INFINITY
      if (performance.now() - receivedAt > 3 * heartbeatMilliseconds) breakDown(new Error('the server is silent'))
    },
    /** Resolves when an ended reader has released everything. */
    ended: () => running,
  }
}

export type TopicReader<Event> = ReturnType<typeof createTopicReader<Event>>
