import { AckPolicy, type ConsumerConfig } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { QueueRules } from '../queue.ts'
import { serverWait } from './lease.ts'
import type { Names } from './names.ts'
import type { NatsBusLimits } from './options.ts'
import type { StreamShape } from './streams.ts'

/** Maximum dead letters that are retained, the newest. */
const maxDeadLetters = 1_000

/** The one consumer of a queue, which all its workers share. */
export const consumerName = 'workers'

export const queueShapes = (names: Names, limits: NatsBusLimits) => {
  const twice = nanos(limits.publishWithinMilliseconds * 2)
  return {
    /** Jobs that wait or are in progress; a job is removed when it is acknowledged. */
    jobs: ({ name, maxWaiting }: QueueRules): StreamShape => ({
      name: names.queueStream(name),
      subjects: [names.queueSubjects(name)],
      retention: 'workqueue',
      discard: 'new',
      max_msgs: maxWaiting,
      max_msgs_per_subject: 1,
      discard_new_per_subject: true,
      duplicate_window: twice,
    }),
    dead: ({ name }: QueueRules): StreamShape => ({
      name: names.deadStream(name),
      subjects: [names.deadSubjects(name)],
      retention: 'limits',
      discard: 'old',
      max_msgs: maxDeadLetters * 2,
      max_msgs_per_subject: maxDeadLetters,
      duplicate_window: twice,
    }),
    workers: ({ acknowledgeWithinMilliseconds, maxWaiting }: QueueRules): Partial<ConsumerConfig> => ({
      durable_name: consumerName,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(serverWait(acknowledgeWithinMilliseconds)),
      // The bus counts deliveries itself: those that a stopping worker released do not count.
      max_deliver: -1,
      max_ack_pending: maxWaiting,
      max_waiting: 8_192,
    }),
  }
}

export type QueueShapes = ReturnType<typeof queueShapes>
