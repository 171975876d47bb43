import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../telemetry/mod.ts'
import type { Handling, Job } from '../bus.ts'
import { pauseAfter, type Queue, reasonOf } from '../queue.ts'
import type { Acknowledging } from './acknowledging.ts'
import type { Connection } from './connection.ts'
import type { DeadLetters } from './dead-letters.ts'
import { createLease } from './lease.ts'
import { openPull, type Pulled } from './pull.ts'
import { consumerName } from './queue-streams.ts'

/** A queue that is not there is looked for again after this, in milliseconds. */
const absentMilliseconds = 500

type WorkerOptions<Value> = {
  queue: Queue<Value>
  stream: string
  handle: (job: Job<Value>, handling: Handling) => Promise<void>
  concurrency: number
  /** Ends the work; what is in hand may be finished or given back. */
  signal: AbortSignal
  connection: Connection
  acknowledging: Acknowledging
  deadLetters: DeadLetters
  /** Sees to it that the stream and its consumer are there. `again`: they were found missing. */
  ensure: (again: boolean) => Promise<void>
  doneWithinMilliseconds: number
  log: Log
}

/** Works on a queue in so many slots until the signal aborts; resolves when nothing is in hand any more. */
export const work = async <Value>(options: WorkerOptions<Value>): Promise<void> => {
  const { queue, signal, acknowledging, deadLetters, log } = options

  const uncounted = async ({ delivery: { sequence, deliveries } }: Pulled) =>
    deliveries > 1 ? await deadLetters.givenBack(queue, sequence) : 0

  const giveBack = async (pulled: Pulled, times: number) => {
    await deadLetters.noteGivenBack(queue, pulled.delivery.sequence, times + 1)
    acknowledging.again(pulled.reply, 0)
  }

  const settle = async ({ reply, delivery: { sequence } }: Pulled, givenBack: number) => {
    await acknowledging.done(reply, options.doneWithinMilliseconds)
    if (givenBack > 0) await deadLetters.forgetGivenBack(queue, sequence)
  }

  const fail = async (pulled: Pulled, job: { delivery: number; givenBack: number }, reason: string) => {
    if (job.delivery < queue.maximumDeliveries)
      return acknowledging.again(pulled.reply, pauseAfter(queue, job.delivery))
    const { bytes: value, delivery } = pulled
    await deadLetters.bury(queue, { sequence: delivery.sequence, value, deliveries: job.delivery, reason })
    await settle(pulled, job.givenBack)
  }

  /** Whether the handler did it; else why not. */
  const attempt = async ({ bytes, reply }: Pulled, delivery: number): Promise<'done' | { reason: string }> => {
    const lease = createLease(queue.acknowledgeWithinMilliseconds, () => acknowledging.working(reply))
    try {
      const handling = { signal: AbortSignal.any([signal, lease.signal]), working: lease.working }
      await Promise.race([options.handle({ value: queue.decode(bytes), delivery }, handling), lease.expired])
      return 'done'
    } catch (error) {
      return { reason: reasonOf(error) }
    } finally {
      lease.end()
    }
  }

  /** Hands one job to the handler and sees to what becomes of it. */
  const deliver = async (pulled: Pulled) => {
    const givenBack = await uncounted(pulled)
    const delivery = pulled.delivery.deliveries - givenBack
    if (delivery > queue.maximumDeliveries) {
      const reason = 'Its workers ended without a word.'
      return fail(pulled, { delivery: delivery - 1, givenBack }, reason)
    }
    const outcome = await attempt(pulled, delivery)
    if (outcome === 'done') return settle(pulled, givenBack)
    if (signal.aborted) return giveBack(pulled, givenBack)
    return fail(pulled, { delivery, givenBack }, outcome.reason)
  }

  /** What goes wrong here leaves the job with the server, which hands it out again when its patience ends. */
  const guarded = (pulled: Pulled, what: Promise<void>) =>
    what.catch((error: unknown) => {
      const { sequence } = pulled.delivery
      log.warn({ err: error, queue: queue.name, sequence }, 'what became of a job could not be stored: it comes again')
    })

  const unasked = new Set<Promise<void>>()
  const onUnasked = (pulled: Pulled) => {
    const given = uncounted(pulled).then((times) => giveBack(pulled, times))
    const giving = guarded(pulled, given)
    unasked.add(giving)
    void giving.then(() => unasked.delete(giving))
  }

  const slot = async () => {
    const pull = openPull(options.connection, { stream: options.stream, consumer: consumerName, onUnasked })
    while (!signal.aborted) {
      const pulled = await pull.next(signal)
      if (pulled === 'absent') {
        await sleep(absentMilliseconds, undefined, { signal }).catch(() => undefined)
        await options.ensure(true).catch(() => undefined)
      } else if (pulled !== 'none') await guarded(pulled, deliver(pulled))
    }
    await pull.close()
  }

  await options.ensure(false)
  await Promise.all(Array.from({ length: options.concurrency }, slot))
  await Promise.all(unasked)
}
