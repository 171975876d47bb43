import { AckPolicy, type ConsumerConfig, type DeliverPolicy, ReplayPolicy } from '@nats-io/jetstream'
import { createInbox, type Msg, nanos } from '@nats-io/transport-node'
import type { Connection } from './connection.ts'
import { type DeliveryInfo, readDelivery } from './delivery.ts'

/** How often the server sends a heartbeat when it has nothing to deliver, in milliseconds. */
export const heartbeatMilliseconds = 5_000
/** The server deletes a consumer without a subscriber after this long, in milliseconds. */
const expiryMilliseconds = 30_000

export type Start =
  | { policy: typeof DeliverPolicy.All }
  | { policy: typeof DeliverPolicy.StartSequence; sequence: number }
  | { policy: typeof DeliverPolicy.StartTime; milliseconds: number }

type SubjectConsumerOptions = {
  stream: string
  subject: string
  start: Start
  onMessage: (delivery: DeliveryInfo, message: Msg) => void
  /** A delivery is missing or the consumer is gone; later deliveries are ignored. Called once. */
  onBroken: (reason: string) => void
}

const startConfig = (start: Start): Partial<ConsumerConfig> => {
  if (start.policy === 'by_start_sequence') return { deliver_policy: start.policy, opt_start_seq: start.sequence }
  if (start.policy === 'by_start_time')
    return { deliver_policy: start.policy, opt_start_time: new Date(start.milliseconds).toISOString() }
  return { deliver_policy: start.policy }
}

/**
 * Consumes one subject of a stream in order, from a position on. Its state on the server is in memory, and it
 * acknowledges nothing; when a delivery is missing it calls `onBroken`, and its owner opens another consumer behind the last delivery.
 */
export const openSubjectConsumer = async (
  { nats, manager, whileConnected }: Connection,
  { stream, subject, start, onMessage, onBroken }: SubjectConsumerOptions,
) => {
  let received = 0
  let receivedAt = performance.now()
  let broken = false
  const breakDown = (reason: string) => {
    if (broken) return
    broken = true
    onBroken(reason)
  }

  /** Status 100 is a heartbeat or a flow control request; any other status means that the consumer has ended. */
  const onStatus = (message: Msg) => {
    const status = message.headers
    if (status?.code !== 100) {
      breakDown(`the server ended the consumer: ${status?.code} ${status?.description}`)
      return
    }
    if (message.reply) message.respond()
    const stalled = status.get('Nats-Consumer-Stalled')
    if (stalled) nats.publish(stalled)
    if (Number(status.get('Nats-Last-Consumer')) > received) breakDown('deliveries were lost on the way')
  }

  const receive = (error: Error | null, message: Msg): void => {
    if (broken) return
    receivedAt = performance.now()
    const delivery = readDelivery(message.reply)
    if (error) breakDown(error.message)
    else if (!delivery) onStatus(message)
    else if (delivery.consumerSequence !== received + 1) breakDown('deliveries were lost on the way')
    else {
      received = delivery.consumerSequence
      onMessage(delivery, message)
    }
  }

  // A new inbox, so that no message for an earlier consumer can arrive here.
  const inbox = createInbox()
  const subscription = nats.subscribe(inbox, { callback: receive })

  try {
    const { name, delivered, num_pending } = await whileConnected(
      manager.consumers.add(stream, {
        deliver_subject: inbox,
        filter_subject: subject,
        ...startConfig(start),
        ack_policy: AckPolicy.None,
        replay_policy: ReplayPolicy.Instant,
        flow_control: true,
        idle_heartbeat: nanos(heartbeatMilliseconds),
        mem_storage: true,
        num_replicas: 1,
        inactive_threshold: nanos(expiryMilliseconds),
      }),
    )
    return {
      /** The stream's sequence before the start: every message of the subject after it is delivered. */
      startsAfter: delivered.stream_seq,
      /** How many messages were to be delivered when the consumer was opened. */
      pending: num_pending + delivered.consumer_seq,
      /** When a message last arrived, by the process's clock. */
      receivedAt: () => receivedAt,
      close: () => {
        broken = true
        subscription.unsubscribe()
        // If this fails, the server deletes it after `expiryMilliseconds`.
        manager.consumers.delete(stream, name).catch(() => undefined)
      },
    }
  } catch (error) {
    broken = true
    subscription.unsubscribe()
    throw error
  }
}

export type SubjectConsumer = Awaited<ReturnType<typeof openSubjectConsumer>>
