import type { SeqMsgRequest } from '@nats-io/jetstream'
import type { Msg } from '@nats-io/transport-node'
import { steadyNow } from './clock.ts'
import type { Connection } from './connection.ts'
import type { DeliveryInfo } from './delivery.ts'
import { heartbeatMilliseconds, openSubjectConsumer } from './subject-consumer.ts'

export type SubjectState = {
  /** All messages of the subject behind this sequence are retained: a reader that has read up to it has missed nothing. */
  trimmedThrough: number
  /** The stream's newest sequence, over all subjects. */
  newest: number
  /** Lower bound of the server's clock minus ours, in milliseconds. */
  clockAhead: number
}

/**
 * Determines which messages of a subject a stream retains. All subjects share the stream's sequences, so its first sequence alone
 * does not describe one of them. Messages are dropped in two ways only: the oldest of the whole stream, which moves its first sequence, and
 * the oldest of a subject that is at its maximum. A subject below its maximum has lost nothing behind the stream's first sequence.
 */
export const readSubjectState = async (
  { manager, whileConnected }: Connection,
  { stream, subject }: { stream: string; subject: string },
): Promise<SubjectState> => {
  const { state, config, ts } = await whileConnected(manager.streams.info(stream, { subjects_filter: subject }))
  const clockAhead = ts === undefined ? 0 : Date.parse(ts) - steadyNow()
  const found = { newest: state.last_seq, clockAhead }
  const stored = state.subjects?.[subject] ?? 0
  if (config.max_msgs_per_subject <= 0 || stored < config.max_msgs_per_subject)
    return { ...found, trimmedThrough: state.first_seq - 1 }
  const first: SeqMsgRequest & { next_by_subj: string } = { seq: state.first_seq, next_by_subj: subject }
  const oldest = await whileConnected(manager.streams.getMessage(stream, first))
  return { ...found, trimmedThrough: (oldest?.seq ?? state.last_seq + 1) - 1 }
}

export type StoredMessage = { delivery: DeliveryInfo; message: Msg }

/** Reads the retained messages of a subject up to the sequence `through`, oldest first. Throws when the server falls silent. */
export const readSubject = async (
  connection: Connection,
  { stream, subject, through }: { stream: string; subject: string; through: number },
): Promise<StoredMessage[]> => {
  const found: StoredMessage[] = []
  const { promise: done, resolve, reject } = Promise.withResolvers<void>()
  done.catch(() => undefined)
  const consumer = await openSubjectConsumer(connection, {
    stream,
    subject,
    start: { policy: 'all' },
    onMessage: (delivery, message) => {
      if (delivery.sequence <= through) found.push({ delivery, message })
      if (delivery.sequence >= through || delivery.pending === 0) resolve()
    },
    onBroken: (reason) => reject(new Error(reason)),
  })
  if (consumer.pending === 0) resolve()
  const listening = setInterval(() => {
    if (performance.now() - consumer.receivedAt() > 3 * heartbeatMilliseconds) reject(new Error('the server is silent'))
  }, heartbeatMilliseconds)
  try {
    await connection.whileConnected(done)
  } finally {
    clearInterval(listening)
    consumer.close()
  }
  return found
}
