import type { Bus } from '../bus.ts'
import { openConnection } from './connection.ts'
import { createKeyValue } from './key-value.ts'
import { createMessageStore } from './message-store.ts'
import { createNames } from './names.ts'
import { defaultLimits, type NatsBusOptions } from './options.ts'
import { createQueues } from './queues.ts'
import { createSemaphore } from './semaphore.ts'
import { createStreams } from './streams.ts'
import { createTopics } from './topics.ts'

/**
 * The bus between processes, on NATS JetStream. Throws `unavailable` with the cause when the server cannot be
 * reached in time, rejects our credentials, or offers no JetStream. Once connected it survives outages of the server:
 * publishers get `unavailable` within a bounded time; readers and workers wait and resume where they were.
 */
export const connectNatsBus = async (options: NatsBusOptions): Promise<Bus> => {
  const { log, prefix = 'trellis' } = options
  const limits = { ...defaultLimits, ...options.limits }
  const storage = { kind: 'file', replicas: 1, ...options.storage } as const
  const names = createNames(prefix)
  const connection = await openConnection(options, limits)
  const stopping = new AbortController()
  const closing = new AbortController()
  const semaphore = createSemaphore(limits.requestsInFlight)
  const streams = createStreams({ connection, semaphore, storage, log })
  const store = createMessageStore({ connection, streams, limits, signal: closing.signal })
  const shared = { connection, names, streams, store, semaphore, limits, log, signal: stopping.signal }
  const topics = createTopics(shared)
  const queues = createQueues(shared)
  const values = createKeyValue(shared)

  return {
    publish: topics.publish,
    subscribe: topics.subscribe,
    lastSequence: topics.lastSequence,
    enqueue: queues.enqueue,
    work: queues.work,
    deadLetters: queues.deadLetters,
    update: values.update,
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await Promise.all([topics.ended(), queues.ended()])
      closing.abort()
      await connection.close()
    },
  }
}
