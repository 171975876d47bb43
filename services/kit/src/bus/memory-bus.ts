import type { Bus } from './bus.ts'
import { createMemoryKeyValue } from './memory-key-value.ts'
import { createMemoryQueue, type MemoryQueue } from './memory-queue.ts'
import type { Queue } from './queue.ts'
import { createRetention } from './retention.ts'
import { createRing, follow, type Ring } from './ring.ts'
import type { Topic } from './topic.ts'

export type MemoryBusOptions = {
  now?: () => number
  /** How often expired events are dropped from topics that have no publisher any more. */
  sweepEveryMilliseconds?: number
  /**
   * The limit of all retained events, as they are encoded. Beyond it the oldest is dropped, whichever topic it is of; the
   * newest is retained whatever its size.
   */
  maxBytes?: number
}

/**
 * The bus within one process. Sequences start at the clock's microseconds, so that they also increase across restarts:
 * a reader that resumes with a sequence of an earlier process gets a gap instead of waiting for ever.
 */
export const createMemoryBus = ({
  now = Date.now,
  sweepEveryMilliseconds = 30_000,
  maxBytes = 32 * 1024 * 1024,
}: MemoryBusOptions = {}): Bus => {
  let sequence = now() * 1_000
  let sweptAt = now()
  const rings = new Map<string, Ring<unknown>>()
  const retention = createRetention(maxBytes)
  const values = createMemoryKeyValue(now)
  const queues = new Map<string, MemoryQueue<unknown>>()

  const sweep = () => {
    sweptAt = now()
    for (const [name, ring] of rings) if (ring.isIdle()) rings.delete(name)
  }

  const ringOf = <Event>(topic: Topic<Event>): Ring<Event> => {
    const known = rings.get(topic.name)
    if (known) return known as Ring<Event>
    const { keep, coalesceBy } = topic
    const ring = createRing<Event>({ keep, coalesceBy, now, trimmedThrough: sequence, onDrop: retention.dropped })
    rings.set(topic.name, ring as Ring<unknown>)
    return ring
  }

  const queueOf = <Value>(queue: Queue<Value>): MemoryQueue<Value> => {
    const known = queues.get(queue.name)
    if (known) return known as MemoryQueue<Value>
    const made = createMemoryQueue(queue)
    queues.set(queue.name, made as MemoryQueue<unknown>)
    return made
  }

  return {
    publish: async (topic, event) => {
      if (now() - sweptAt >= sweepEveryMilliseconds) sweep()
      sequence += 1
      // Encoded and decoded as on every other bus, so that no reader shares an object with the publisher.
      const encoded = topic.encode(event)
      const ring = ringOf(topic)
      const bytes = encoded.byteLength
      retention.add(ring as Ring<unknown>, sequence, bytes)
      ring.push(sequence, topic.decode(encoded), { bytes })
      retention.limit()
      return sequence
    },
    subscribe: (topic, { after = 'latest', signal }) => follow(ringOf(topic), { after, signal }),
    lastSequence: async (topic) => ringOf(topic).newest(),
    enqueue: async (queue, value, id) => queueOf(queue).enqueue(value, id),
    work: (queue, handle, options) => queueOf(queue).work(handle, options),
    deadLetters: async (queue) => queueOf(queue).deadLetters(),
    update: values.update,
    [Symbol.asyncDispose]: async () => {
      for (const queue of queues.values()) queue.close()
      rings.clear()
      retention.clear()
      values.clear()
      queues.clear()
    },
  }
}
