import { serviceError } from '../errors/mod.ts'
import type { DeadLetter, Handling, Job } from './bus.ts'
import { pauseAfter, type Queue, reasonOf } from './queue.ts'

type Entry = { bytes: Uint8Array; id: string | undefined; deliveries: number }

const maxDeadLetters = 1_000

/** One work queue in memory, first in, first out. Failed jobs rejoin it after their back-off. */
export const createMemoryQueue = <Value>(queue: Queue<Value>) => {
  const waiting: Entry[] = []
  const ids = new Set<string>()
  const dead: (DeadLetter<Value> & { entry: Entry })[] = []
  const takers: ((entry: Entry | undefined) => void)[] = []
  const timers = new Set<NodeJS.Timeout>()
  let size = 0

  const offer = (entry: Entry) => {
    const taker = takers.shift()
    if (taker) taker(entry)
    else waiting.push(entry)
  }

  const settle = (entry: Entry) => {
    size -= 1
    if (entry.id !== undefined) ids.delete(entry.id)
  }

  const offerLater = (entry: Entry, milliseconds: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      offer(entry)
    }, milliseconds)
    timers.add(timer)
  }

  const failed = (entry: Entry, reason: string) => {
    if (entry.deliveries >= queue.maxDeliveries) {
      settle(entry)
      dead.push({ value: queue.decode(entry.bytes), deliveries: entry.deliveries, reason, entry })
      if (dead.length > maxDeadLetters) dead.shift()
      return
    }
    offerLater(entry, pauseAfter(queue, entry.deliveries))
  }

  const take = (signal: AbortSignal): Promise<Entry | undefined> => {
    const ready = waiting.shift()
    if (ready || signal.aborted) {
      if (ready && signal.aborted) waiting.unshift(ready)
      return Promise.resolve(signal.aborted ? undefined : ready)
    }
    return new Promise((resolve) => {
      const taker = (entry: Entry | undefined) => {
        signal.removeEventListener('abort', stop)
        resolve(entry)
      }
      const stop = () => {
        takers.splice(takers.indexOf(taker), 1)
        resolve(undefined)
      }
      takers.push(taker)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  /** Delivers one job to a handler, then settles, requeues or buries it. */
  const deliver = async (
    entry: Entry,
    handle: (job: Job<Value>, handling: Handling) => Promise<void>,
    signal: AbortSignal,
  ) => {
    entry.deliveries += 1
    const late = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const working = () => {
      clearTimeout(timer)
      timer = setTimeout(() => late.abort(new Error('Not acknowledged in time.')), queue.acknowledgeWithinMilliseconds)
    }
    working()
    const lateness = new Promise<never>((_, reject) => {
      late.signal.addEventListener('abort', () => reject(late.signal.reason), { once: true })
    })
    lateness.catch(() => undefined)
    const job = { value: queue.decode(entry.bytes), delivery: entry.deliveries }
    try {
      await Promise.race([handle(job, { signal: AbortSignal.any([signal, late.signal]), working }), lateness])
      settle(entry)
    } catch (error) {
      if (signal.aborted) {
        entry.deliveries -= 1
        offer(entry)
      } else failed(entry, reasonOf(error))
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    enqueue: (value: Value, id: string | undefined): boolean => {
      if (id !== undefined && ids.has(id)) return false
      if (size >= queue.maxWaiting) {
        throw serviceError('unavailable', `Too many jobs are waiting in ${queue.name}. Try again shortly.`, {
          retryAfterSeconds: 5,
        })
      }
      size += 1
      if (id !== undefined) ids.add(id)
      offer({ bytes: queue.encode(value), id, deliveries: 0 })
      return true
    },
    work: async (
      handle: (job: Job<Value>, handling: Handling) => Promise<void>,
      { concurrency = 1, signal }: { concurrency?: number; signal: AbortSignal },
    ) => {
      const loop = async () => {
        for (let entry = await take(signal); entry; entry = await take(signal)) await deliver(entry, handle, signal)
      }
      await Promise.all(Array.from({ length: concurrency }, loop))
    },
    deadLetters: (): DeadLetter<Value>[] =>
      dead.map(({ value, deliveries, reason }) => ({ value, deliveries, reason })),
    close: () => {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

export type MemoryQueue<Value> = ReturnType<typeof createMemoryQueue<Value>>
