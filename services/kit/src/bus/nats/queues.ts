import { setTimeout as sleep } from 'node:timers/promises'
import { Nuid } from '@nats-io/transport-node'
import { isServiceError, serviceError } from '../../errors/mod.ts'
import { createBackoff } from '../../retry/mod.ts'
import type { Log } from '../../telemetry/mod.ts'
import type { Bus } from '../bus.ts'
import type { Queue, QueueRules } from '../queue.ts'
import { createAcknowledger } from './acknowledger.ts'
import type { Connection } from './connection.ts'
import { createDeadLetters, jobHeadroom } from './dead-letters.ts'
import { apiCodes, isApiError, unavailable } from './errors.ts'
import { checkSize, Refused, refusal, type Store } from './message-store.ts'
import type { Names } from './names.ts'
import type { NatsBusLimits } from './options.ts'
import { consumerName, queueShapes } from './queue-streams.ts'
import type { Semaphore } from './semaphore.ts'
import type { Streams } from './streams.ts'
import { work } from './worker.ts'

const ensurePauses = { initial: 100, max: 2_000 }

type QueuesOptions = {
  connection: Connection
  names: Names
  streams: Streams
  store: Store
  semaphore: Semaphore
  limits: NatsBusLimits
  log: Log
  /** Ends all work. */
  signal: AbortSignal
}

/** Converts errors of the server or the connection into `unavailable`. */
const withServiceErrors = <Result>(promise: Promise<Result>): Promise<Result> =>
  promise.catch((error: unknown) => {
    throw isServiceError(error) ? error : unavailable(error)
  })

/**
 * Work queues: each is a stream whose messages are removed when acknowledged, with one consumer that all workers share. A job
 * with an id has its own subject, of which the stream accepts no second message, so that the id is unique across processes.
 */
export const createQueues = ({ connection, names, streams, store, semaphore, limits, log, signal }: QueuesOptions) => {
  const { manager, whileConnected } = connection
  const shapes = queueShapes(names, limits)
  const deadLetters = createDeadLetters({ connection, names, streams, shapes, store, log })
  const acknowledging = createAcknowledger(connection)
  const tokens = new Nuid()
  const consumers = new Map<string, Promise<void>>()
  const atWork = new Set<Promise<void>>()

  const makeConsumer = async (queue: QueueRules) => {
    await streams.ensure(shapes.jobs(queue))
    await streams.ensure(shapes.dead(queue))
    const stream = names.queueStream(queue.name)
    const desired = shapes.workers(queue)
    await semaphore.withPermit(async () => {
      try {
        await whileConnected(manager.consumers.add(stream, desired))
      } catch (error) {
        if (!isApiError(error, apiCodes.consumerExists)) throw error
        await whileConnected(manager.consumers.update(stream, consumerName, desired))
      }
    })
  }

  const ensureConsumer = (queue: QueueRules, again: boolean): Promise<void> => {
    const known = consumers.get(queue.name)
    if (known !== undefined && !again) return known
    if (again) {
      streams.doubt(names.queueStream(queue.name))
      streams.doubt(names.deadStream(queue.name))
    }
    const making = makeConsumer(queue).catch((error: unknown) => {
      consumers.delete(queue.name)
      throw error
    })
    consumers.set(queue.name, making)
    return making
  }

  /** Retries until the queue exists, so that a worker may start while the server is away. */
  const ensurePatiently = async (queue: QueueRules, until: AbortSignal) => {
    const backoff = createBackoff(ensurePauses)
    while (!until.aborted) {
      try {
        await connection.connected(until)
        return await ensureConsumer(queue, false)
      } catch (error) {
        if (until.aborted) return
        log.warn({ err: error, queue: queue.name }, 'queue: not ready, retrying')
        await sleep(backoff.next(), undefined, { signal: until }).catch(() => undefined)
      }
    }
  }

  /** Whether the job stored under the id is this job itself, stored by an attempt whose acknowledgement was lost. */
  const isOurs = async (stream: string, subject: string, { attempts, id }: Refused): Promise<boolean> => {
    if (attempts === 1) return false
    const there = await withServiceErrors(whileConnected(manager.streams.getMessage(stream, { last_by_subj: subject })))
    return there?.header.get('Nats-Msg-Id') === id
  }

  const enqueue: Bus['enqueue'] = async (queue, value, id) => {
    const bytes = queue.encode(value)
    checkSize(`The job for ${queue.name}`, bytes, { connection, headroom: jobHeadroom })
    const stream = shapes.jobs(queue)
    const subject = id === undefined ? names.unnamedJob(queue.name, tokens.next()) : names.namedJob(queue.name, id)
    try {
      await store({ lane: stream.name, subject, bytes, stream })
      return true
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (!isApiError(error.answer, apiCodes.limitReached)) throw refusal(error)
      // Both limits share one error code.
      if (error.answer.message.includes('per subject')) return isOurs(stream.name, subject, error)
      throw serviceError('unavailable', `Too many jobs are waiting in ${queue.name}. Try again shortly.`, {
        cause: error,
        retryAfterSeconds: 5,
      })
    }
  }

  const startWork: Bus['work'] = (queue, handle, { concurrency = 1, signal: requested }) => {
    const stop = AbortSignal.any([requested, signal])
    const working = work({
      queue,
      stream: names.queueStream(queue.name),
      handle,
      concurrency,
      signal: stop,
      connection,
      acknowledging,
      deadLetters,
      ensure: (again) => (again ? ensureConsumer(queue, true) : ensurePatiently(queue, stop)),
      doneWithinMilliseconds: limits.publishWithinMilliseconds,
      log,
    })
    const ended = working.catch(() => undefined)
    atWork.add(ended)
    void ended.then(() => atWork.delete(ended))
    return working
  }

  return {
    enqueue,
    work: startWork,
    deadLetters: <Value>(queue: Queue<Value>) => withServiceErrors(deadLetters.list(queue)),
    /** Resolves when no job is in progress any more, after the signal. */
    ended: async () => {
      await Promise.all(atWork)
    },
  }
}
