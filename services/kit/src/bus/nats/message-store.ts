import { setTimeout as sleep } from 'node:timers/promises'
import { JetStreamApiError } from '@nats-io/jetstream'
import { headers, type MsgHdrs, Nuid } from '@nats-io/transport-node'
import { serviceError } from '../../errors/mod.ts'
import type { Connection } from './connection.ts'
import { apiCodes, isApiError, tooLarge, unavailable } from './errors.ts'
import type { NatsBusLimits } from './options.ts'
import { createLanes, createSemaphore } from './semaphore.ts'
import type { StreamShape, Streams } from './streams.ts'

/** An acknowledgement that has not come by then is asked for again, in milliseconds. */
const attemptMilliseconds = 2_000
const pauseMilliseconds = { first: 25, max: 500 }

export type Message = {
  /** Messages of one lane are stored in the order in which they were given, also when some are sent again. */
  lane: string
  subject: string
  bytes: Uint8Array
  stream: StreamShape
  headers?: Record<string, string>
  /** Names the message for good, where it is sent again by another process too. */
  id?: string
}

/** Where the message is in its stream; `attempts` and `id` tell whether what is there is what was sent. */
export type Stored = { sequence: number; attempts: number; id: string }

/** The server understood and said no: to ask again would change nothing. */
export class Refused extends Error {
  override name = 'Refused'
  readonly answer: JetStreamApiError
  readonly attempts: number
  readonly id: string
  constructor(answer: JetStreamApiError, sent: { attempts: number; id: string }) {
    super(answer.message, { cause: answer })
    this.answer = answer
    this.attempts = sent.attempts
    this.id = sent.id
  }
}

const headersOf = (given: Record<string, string> | undefined): MsgHdrs => {
  const made = headers()
  for (const [name, value] of Object.entries(given ?? {})) made.set(name, value)
  return made
}

/** The answers after which another attempt may go well: no leader at the moment, too busy, a server of several away or late with its sign of life. */
const isRetryable = (error: JetStreamApiError) =>
  error.code === apiCodes.tooFewPeers || (error.apiError().code === 503 && error.code !== apiCodes.limitReached)

/** What a promise comes to, or an error when that takes too long; it goes on all the same. */
const inTime = async <Result>(promise: Promise<Result>, milliseconds: number): Promise<Result> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`There was no answer within ${milliseconds} ms.`)), milliseconds)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

type MessageStoreOptions = { connection: Connection; streams: Streams; limits: NatsBusLimits; signal: AbortSignal }

/**
 * Stores messages in streams, acknowledged. One message of a lane is under way at a time: a message that is sent again
 * after its acknowledgement was lost would otherwise come behind its successors. Each carries an id by which the
 * server knows it again, so that sending twice stores once.
 */
export const createMessageStore = ({ connection, streams, limits, signal: closing }: MessageStoreOptions) => {
  const inLane = createLanes()
  const semaphore = createSemaphore(limits.publishesInFlight)
  const ids = new Nuid()
  let waiting = 0

  const attempt = async ({ subject, bytes, stream, headers: given }: Message, id: string, milliseconds: number) => {
    await inTime(streams.ensure(stream), milliseconds)
    const sent = connection.jetStream.publish(subject, bytes, {
      msgID: id,
      timeout: milliseconds,
      headers: headersOf(given),
    })
    return (await connection.whileConnected(sent)).seq
  }

  const store = async (message: Message, deadline: number): Promise<Stored> => {
    const id = message.id ?? ids.next()
    let pause = pauseMilliseconds.first
    let lastError: unknown
    for (let attempts = 1; ; attempts += 1) {
      const left = deadline - performance.now()
      if (left <= 0 || closing.aborted) throw unavailable(lastError)
      try {
        if (!connection.isConnected()) {
          await connection.connected(AbortSignal.any([AbortSignal.timeout(Math.ceil(left)), closing]))
        }
        const sequence = await attempt(message, id, Math.ceil(Math.min(left, attemptMilliseconds)))
        return { sequence, attempts, id }
      } catch (error) {
        if (error instanceof JetStreamApiError && !isRetryable(error)) throw new Refused(error, { attempts, id })
        lastError = error
        streams.doubt(message.stream.name)
        await sleep(Math.min(pause, Math.max(0, deadline - performance.now())))
        pause = Math.min(pause * 2, pauseMilliseconds.max)
      }
    }
  }

  /**
   * Stores a message. Throws `unavailable` when that has not been acknowledged in time (it may then have been stored
   * all the same), when too many wait already, and `Refused` when the server says no.
   */
  return async (message: Message): Promise<Stored> => {
    if (waiting >= limits.publishesWaiting) throw unavailable(new Error(`${waiting} messages wait to be stored.`))
    waiting += 1
    const deadline = performance.now() + limits.publishWithinMilliseconds
    try {
      return await inLane(message.lane, () => semaphore.withPermit(() => store(message, deadline)))
    } finally {
      waiting -= 1
    }
  }
}

export type Store = ReturnType<typeof createMessageStore>

/** What a caller is told of a refusal that is none of its business. */
export const refusal = ({ answer }: Refused) =>
  isApiError(answer, apiCodes.messageTooLarge)
    ? serviceError('too_large', 'The message is larger than its stream takes.', { cause: answer })
    : unavailable(answer)

/** Throws `too_large` for bytes that do not go into one message beside `headroom` bytes of headers. */
export const checkSize = (
  what: string,
  bytes: Uint8Array,
  { connection, headroom }: { connection: Connection; headroom: number },
) => {
  const limit = connection.maxPayload() - headroom
  if (bytes.length > limit) throw tooLarge(what, bytes.length, limit)
}
