import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus, Handling, Job } from '@trellis/kit/bus'
import { isFailure, messageOf } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import { BatchUnreadable } from '../entries/entry-batch.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import { entryMessages, type Message, receiptsFor } from './message.ts'
import type { Receipt, SharedCatalogue } from './shared-catalogue.ts'

export type IndexingOptions = {
  bus: Bus
  files: Pick<Files, 'read' | 'remove'>
  catalogue: Pick<SharedCatalogue, 'receipts'>
  /** Hands a batch, which is then no longer the caller's, to the indexing thread. */
  take: (message: Pick<Message, 'id' | 'sentAfter'>, batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<Receipt>
  /** Told of receipts; false where they are another replica's. */
  settle: (receipt: Receipt) => boolean
  /** Messages in hand at most. */
  concurrency: number
  onProblem: (problem: string) => void
  signal: AbortSignal
}

/** Says so often that a message is being worked on. */
const workingMilliseconds = 2_500
/** Between two tries to get at the queue. */
const againMilliseconds = 1_000

const readFile = async (files: Pick<Files, 'read'>, key: string): Promise<ArrayBuffer> => {
  const parts: Uint8Array[] = []
  for await (const part of files.read(key)) parts.push(part)
  return Uint8Array.from(Buffer.concat(parts)).buffer
}

/** Works on the append log until the signal aborts: a message is done when its entries are committed, and only then. */
export const startIndexing = (options: IndexingOptions): Promise<void> => {
  const { bus, files, catalogue, take, settle, concurrency, onProblem, signal } = options

  /** Receipts for the same replica go together. */
  const outgoing = new Map<string, Receipt[]>()
  const report = (sender: string, receipt: Receipt) => {
    if (settle(receipt)) return
    const known = outgoing.get(sender)
    if (known) return void known.push(receipt)
    const receipts = [receipt]
    outgoing.set(sender, receipts)
    setImmediate(() => {
      outgoing.delete(sender)
      // Who does not hear of it finds it in the catalogue.
      bus.publish(receiptsFor(sender), receipts).catch(() => undefined)
    })
  }
  /** undefined where the content is gone: it was done by another, and its end was not heard of. */
  const batchOf = async ({ content }: Message): Promise<ArrayBuffer | undefined> => {
    if (content.kind === 'batch') return content.batch
    try {
      return await readFile(files, content.key)
    } catch (error) {
      if (isFailure(error, 'not_found')) return undefined
      throw error
    }
  }
  /** A message that comes again may have been committed by one who could not say so: then the first receipt is the right one. */
  const receiptOf = async (message: Message, delivery: number): Promise<Receipt | undefined> => {
    const first = async () => (delivery > 1 ? (await catalogue.receipts([message.id]))[0] : undefined)
    const known = await first()
    if (known) return known
    const batch = await batchOf(message)
    if (!batch) return undefined
    const receipt = await take({ id: message.id, sentAfter: message.sentAfter }, batch)
    return (await first()) ?? receipt
  }
  const handle = async ({ value: message, delivery }: Job<Message>, { working }: Handling) => {
    const beat = setInterval(working, workingMilliseconds)
    try {
      const receipt = await receiptOf(message, delivery)
      if (receipt) report(message.sender, receipt)
      if (message.content.kind === 'file') await files.remove(message.content.key)
    } catch (error) {
      if (!(error instanceof BatchUnreadable)) throw error
      onProblem(`A message of the append log cannot be read and is left out: ${error.message}`)
    } finally {
      clearInterval(beat)
    }
  }
  const work = async () => {
    while (!signal.aborted) {
      try {
        await bus.work(entryMessages, handle, { concurrency, signal })
      } catch (error) {
        if (signal.aborted) return
        onProblem(`The append log cannot be read: ${messageOf(error)}`)
        await sleep(againMilliseconds, undefined, { signal }).catch(() => undefined)
      }
    }
  }
  return work()
}
