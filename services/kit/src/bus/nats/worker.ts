import { setTimeout as sleep } from 'node:timers/promises'
import { childAbortController } from '../../lifecycle/mod.ts'
import type { Log } from '../../telemetry/mod.ts'
import type { Handling, Job } from '../bus.ts'
import { pauseAfter, type Queue, reasonOf } from '../queue.ts'
import type { Acknowledger } from './acknowledger.ts'
import type { Connection } from './connection.ts'
import type { DeadLetters } from './dead-letters.ts'
import { createLease } from './lease.ts'
import { openPull, type Pull, type Pulled } from './pull.ts'
import { consumerName } from './queue-streams.ts'

/** Pause before a missing queue is looked up again, in milliseconds. */
const absentMilliseconds = 500

type WorkerOptions<Value> = {
  queue: Queue<Value>
  stream: string
  handle: (job: Job<Value>, handling: Handling) => Promise<void>
  concurrency: number
  /** Ends the work; jobs in progress are finished or released. */
  signal: AbortSignal
  connection: Connection
  acknowledging: Acknowledger
  deadLetters: DeadLetters
  /** Ensures that the stream and its consumer exist. `again`: they were found missing. */
  ensure: (again: boolean) => Promise<void>
  doneWithinMilliseconds: number
  log: Log
}

/** The counted delivery of a job, from 1, and how often it was released before. */
type Delivered = { delivery: number; released: number }

/** Works on a queue with `concurrency` slots until the signal aborts; resolves when no job is in progress any more. */
export const work = async <Value>(options: WorkerOptions<Value>): Promise<void> => {
  const { queue, signal, acknowledging, deadLetters, log } = options

  const uncounted = async ({ delivery: { sequence, deliveries } }: Pulled) =>
    deliveries > 1 ? await deadLetters.released(queue, sequence) : 0

  const release = async (pulled: Pulled, times: number) => {
    await deadLetters.noteReleased(queue, pulled.delivery.sequence, times + 1)
    acknowledging.again(pulled.reply, 0)
  }

  const settle = async ({ reply, delivery: { sequence } }: Pulled, released: number) => {
    await acknowledging.done(reply, options.doneWithinMilliseconds)
    if (released > 0) await deadLetters.clearReleased(queue, sequence)
  }

  const fail = async (pulled: Pulled, job: Delivered, reason: string) => {
    if (job.delivery < queue.maxDeliveries) return acknowledging.again(pulled.reply, pauseAfter(queue, job.delivery))
    const { bytes: value, delivery } = pulled
    await deadLetters.bury(queue, { sequence: delivery.sequence, value, deliveries: job.delivery, reason })
    await settle(pulled, job.released)
  }

  /** Runs the handler; returns `done` or the reason of the failure. */
  const attempt = async ({ bytes, reply }: Pulled, delivery: number): Promise<'done' | { reason: string }> => {
    const lease = createLease(queue.acknowledgeWithinMilliseconds, () => acknowledging.working(reply))
    using linked = childAbortController(signal)
    lease.signal.addEventListener('abort', () => linked.abort(lease.signal.reason), { once: true })
    try {
      const handling = { signal: linked.signal, working: lease.working }
      await Promise.race([options.handle({ value: queue.decode(bytes), delivery }, handling), lease.expired])
      return 'done'
    } catch (error) {
      return { reason: reasonOf(error) }
    } finally {
      lease.end()
    }
  }

  /** Runs the handler on one job; returns the function that reports the outcome to the server. */
  const handle = async (pulled: Pulled): Promise<() => Promise<void>> => {
    const released = await uncounted(pulled)
    const delivery = pulled.delivery.deliveries - released
    if (delivery > queue.maxDeliveries) {
      const reason = 'Its workers ended without reporting a result.'
      return () => fail(pulled, { delivery: delivery - 1, released }, reason)
    }
    const outcome = await attempt(pulled, delivery)
    if (outcome === 'done') return () => settle(pulled, released)
    if (signal.aborted) return () => release(pulled, released)
    return () => fail(pulled, { delivery, released }, outcome.reason)
  }

  /** The job stays on the server, which delivers it again after the acknowledgement time-out. */
  const notStored = (pulled: Pulled, error: unknown) => {
    const { sequence } = pulled.delivery
    log.warn({ err: error, queue: queue.name, sequence }, 'queue: outcome of a job not stored, it is delivered again')
  }

  const unsolicited = new Set<Promise<void>>()
  const onUnsolicited = (pulled: Pulled) => {
    const releasing = uncounted(pulled)
      .then((times) => release(pulled, times))
      .catch((error: unknown) => notStored(pulled, error))
    unsolicited.add(releasing)
    void releasing.then(() => unsolicited.delete(releasing))
  }

  /** Handles the result of a pull; returns the function that reports the outcome of a job, if there was one. */
  const take = async (pulled: Pull): Promise<(() => Promise<void>) | undefined> => {
    if (pulled === 'none') return undefined
    if (pulled === 'absent') {
      await sleep(absentMilliseconds, undefined, { signal }).catch(() => undefined)
      await options.ensure(true).catch(() => undefined)
      return undefined
    }
    if (signal.aborted) {
      onUnsolicited(pulled)
      return undefined
    }
    try {
      const respond = await handle(pulled)
      return () => respond().catch((error: unknown) => notStored(pulled, error))
    } catch (error) {
      notStored(pulled, error)
      return undefined
    }
  }

  const pull = openPull(options.connection, { stream: options.stream, consumer: consumerName, onUnsolicited })

  const slot = async () => {
    const request = () => (signal.aborted ? undefined : pull.next(signal))
    let requested = request()
    while (requested !== undefined) {
      const respond = await take(await requested)
      // The outcome of one job and the request for the next are sent together; the next job starts only when the outcome is acknowledged.
      const responded = respond?.()
      requested = request()
      await responded
    }
  }

  try {
    await options.ensure(false)
    await Promise.all(Array.from({ length: options.concurrency }, slot))
  } finally {
    await pull.close()
  }
  await Promise.all(unsolicited)
}
