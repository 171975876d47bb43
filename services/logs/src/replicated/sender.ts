import { randomUUID } from 'node:crypto'
import type { Bus } from '@trellis/kit/bus'
import { serviceError } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import { BatchUnreadable } from '../entries/entry-batch.ts'
import type { IngestResult } from '../segments/shard.ts'
import { entryMessages, type Message, type Outcome, receiptsFor } from './message.ts'
import type { Receipt, SharedCatalogue } from './shared-catalogue.ts'
import { splitBatch } from './split-batch.ts'

export type SenderOptions = {
  bus: Bus
  files: Pick<Files, 'write'>
  catalogue: Pick<SharedCatalogue, 'receipts' | 'version'>
  /** The id of this replica, new at each start, so that it receives no other replica's receipts. */
  replica: string
  /** Larger batches are sent as files. */
  messageBytes: number
  /** How long the sender waits for a receipt. */
  waitMilliseconds: number
  signal: AbortSignal
}

/** Appends batches to the log of all replicas, and waits for their outcomes. */
export type Sender = {
  /**
   * Resolves when a whole batch is committed. Throws `unavailable` if the log does not accept it, or if no outcome arrives in time: then the
   * batch may be stored partly or completely, and sending it again is idempotent. Throws BatchUnreadable for a batch that cannot be indexed.
   */
  send: (batch: ArrayBuffer) => Promise<IngestResult>
  /** Delivers the outcome of a message; false if the message is not of this replica. */
  settle: (outcome: Outcome) => boolean
}

/** Prefix of the files with batches that are too large for the bus, until these are committed. */
export const inboxPrefix = 'inbox/'

/** The interval at which missing receipts are looked up in the catalogue. */
const lookMilliseconds = 5_000
const retryAfterSeconds = 5

type Waiting = { resolve: (receipt: Receipt) => void; reject: (error: unknown) => void }

export const createSender = (options: SenderOptions): Sender => {
  const { bus, files, catalogue, replica, messageBytes, waitMilliseconds, signal } = options
  const waiting = new Map<string, Waiting>()
  let looking: NodeJS.Timeout | undefined

  const settle = (outcome: Outcome): boolean => {
    const waits = waiting.get(outcome.message)
    waiting.delete(outcome.message)
    if ('problem' in outcome) waits?.reject(new BatchUnreadable(outcome.problem))
    else waits?.resolve(outcome)
    return waits !== undefined
  }
  /** Other replicas publish their receipts on the bus; missed ones are in the catalogue. */
  const listen = async () => {
    for await (const delivery of bus.subscribe(receiptsFor(replica), { signal })) {
      if (delivery.kind === 'event') delivery.event.forEach(settle)
    }
  }
  const look = async () => {
    looking = undefined
    // An unreachable store is retried next time; senders that wait too long get an error.
    const receipts = await catalogue.receipts([...waiting.keys()].slice(0, 500)).catch(() => [])
    receipts.forEach(settle)
    lookLater()
  }
  const lookLater = () => {
    if (looking !== undefined || waiting.size === 0 || signal.aborted) return
    looking = setTimeout(() => void look(), lookMilliseconds)
    looking.unref()
  }
  let isListening = false

  const contentOf = async (id: string, batch: ArrayBuffer): Promise<Message['content']> => {
    if (batch.byteLength <= messageBytes) return { kind: 'batch', batch }
    const key = `${inboxPrefix}${id}`
    await files.write(key, new Uint8Array(batch))
    return { kind: 'file', key }
  }
  const sendPart = async (batch: ArrayBuffer, sentAfter: number): Promise<Receipt> => {
    signal.throwIfAborted()
    const id = randomUUID()
    const content = await contentOf(id, batch)
    const { promise, resolve, reject } = Promise.withResolvers<Receipt>()
    promise.catch(() => undefined)
    waiting.set(id, { resolve, reject })
    lookLater()
    const late = () =>
      reject(
        serviceError(
          'unavailable',
          'The entries are stored, but are not searchable yet. Sending them again adds no duplicates.',
          {
            retryAfterSeconds,
          },
        ),
      )
    const timer = setTimeout(late, waitMilliseconds)
    const ended = () => reject(signal.reason)
    signal.addEventListener('abort', ended, { once: true })
    try {
      await bus.enqueue(entryMessages, { id, sender: replica, sentAfter, content }, id)
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', ended)
      waiting.delete(id)
    }
  }
  return {
    settle,
    send: async (batch) => {
      if (!isListening) {
        isListening = true
        void listen().catch(() => {
          isListening = false
        })
      }
      const sentAfter = await catalogue.version()
      const parts = splitBatch(batch, messageBytes)
      const receipts = await Promise.all(parts.map((part) => sendPart(part, sentAfter)))
      return receipts.reduce(
        (sum, { entries, duplicates }) => ({
          entries: sum.entries + entries,
          duplicates: sum.duplicates + duplicates,
        }),
        { entries: 0, duplicates: 0 },
      )
    },
  }
}
