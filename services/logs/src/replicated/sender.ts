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
  /** Names this replica among all, also over a restart: nobody else's receipts come here. */
  replica: string
  /** A larger message does not go over the bus. */
  messageBytes: number
  /** How long a receipt is waited for. */
  waitMilliseconds: number
  signal: AbortSignal
}

/** Puts batches into the append log of all replicas, and waits for what becomes of them. */
export type Sender = {
  /**
   * Resolves when all of a batch is committed. Throws `unavailable` when the log does not take it, or when nobody says in time what became
   * of it: it is kept then, or parts of it, and sending it again adds nothing twice. Throws BatchUnreadable for what
   * cannot be indexed.
   */
  send: (batch: ArrayBuffer) => Promise<IngestResult>
  /** Says what became of a message, if it is of this replica. */
  settle: (outcome: Outcome) => boolean
}

/** Batches whose messages were too large for the bus lie under this until they are committed. */
export const inboxPrefix = 'inbox/'

/** Receipts that did not come are looked for in the catalogue so often. */
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
  /** What another replica committed is told over the bus; where that was missed, the catalogue knows. */
  const listen = async () => {
    for await (const delivery of bus.subscribe(receiptsFor(replica), { signal })) {
      if (delivery.kind === 'event') delivery.event.forEach(settle)
    }
  }
  const look = async () => {
    looking = undefined
    // A store that is away is asked again next time; who waits too long hears of it.
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
          'The entries are kept, but are not searchable yet. Sending them again does no harm.',
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
