import type { Log } from '../../telemetry/mod.ts'
import type { DeadLetter } from '../bus.ts'
import type { Queue, QueueRules } from '../queue.ts'
import type { Connection } from './connection.ts'
import type { Store } from './message-store.ts'
import type { Names } from './names.ts'
import type { QueueShapes } from './queue-streams.ts'
import type { Streams } from './streams.ts'
import { readSubject } from './subject.ts'

const header = { job: 'Trellis-Job', deliveries: 'Trellis-Deliveries', reason: 'Trellis-Reason' }
/** Characters of a reason that are stored; base64 makes up to four bytes of each. */
const maxReason = 500

/** Headroom for the headers of a dead letter beside the job, in bytes. */
export const jobHeadroom = 4_096

type DeadLettersOptions = {
  connection: Connection
  names: Names
  streams: Streams
  shapes: QueueShapes
  store: Store
  log: Log
}

/** Records about jobs beside their queue: dead letters, and how often stopping workers released a job. */
export const createDeadLetters = ({ connection, names, streams, shapes, store, log }: DeadLettersOptions) => {
  const { manager, whileConnected } = connection
  return {
    /** Stores a job that used up its deliveries. Idempotent. */
    bury: async (queue: QueueRules, { sequence, ...letter }: DeadLetter<Uint8Array> & { sequence: number }) => {
      const subject = names.deadLetters(queue.name)
      await store({
        lane: subject,
        subject,
        bytes: letter.value,
        stream: shapes.dead(queue),
        id: String(sequence),
        headers: {
          [header.job]: String(sequence),
          [header.deliveries]: String(letter.deliveries),
          [header.reason]: Buffer.from(letter.reason.slice(0, maxReason)).toString('base64url'),
        },
      })
    },
    list: async <Value>(queue: Queue<Value>): Promise<DeadLetter<Value>[]> => {
      const stream = shapes.dead(queue)
      await streams.ensure(stream)
      const subject = names.deadLetters(queue.name)
      const stored = await readSubject(connection, {
        stream: stream.name,
        subject,
        through: Number.MAX_SAFE_INTEGER,
      })
      const letters = new Map<string, DeadLetter<Value>>()
      for (const { delivery, message } of stored) {
        const read = (name: string) => message.headers?.get(name) ?? ''
        try {
          letters.set(read(header.job), {
            value: queue.decode(message.data),
            deliveries: Number(read(header.deliveries)),
            reason: Buffer.from(read(header.reason), 'base64url').toString(),
          })
        } catch (error) {
          log.error(
            { err: error, queue: queue.name, sequence: delivery.sequence },
            'queue: dead letter cannot be decoded',
          )
        }
      }
      return [...letters.values()]
    },
    /** How many deliveries of a job a stopping worker released; they do not count as failures. */
    released: async (queue: QueueRules, sequence: number): Promise<number> => {
      const query = { last_by_subj: names.released(queue.name, sequence) }
      const note = await whileConnected(manager.streams.getMessage(names.deadStream(queue.name), query))
      return note ? Number(note.string()) : 0
    },
    noteReleased: async (queue: QueueRules, sequence: number, times: number) => {
      const subject = names.released(queue.name, sequence)
      await store({ lane: subject, subject, bytes: Buffer.from(String(times)), stream: shapes.dead(queue) })
    },
    clearReleased: async (queue: QueueRules, sequence: number) => {
      const filter = names.released(queue.name, sequence)
      await whileConnected(manager.streams.purge(names.deadStream(queue.name), { filter }))
    },
  }
}

export type DeadLetters = ReturnType<typeof createDeadLetters>
