import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus, Handling, Job } from '@trellis/kit/bus'
import { isServiceError, messageOf } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import { BatchUnreadable, isBatchUnreadable } from '../entries/entry-batch.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import { entryMessages, type Message, type Outcome, receiptsFor } from './message.ts'
import type { Receipt, SharedCatalogue } from './shared-catalogue.ts'

export type IndexingOptions = {
  bus: Bus
  files: Pick<Files, 'read' | 'remove'>
  catalogue: Pick<SharedCatalogue, 'receipts'>
  /** Takes ownership of a batch and passes it to the index thread. */
  take: (message: Pick<Message, 'id' | 'sentAfter'>, batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<Receipt>
  /** Reports an outcome; false if another replica waits for it. */
  settle: (outcome: Outcome) => boolean
  /** Maximum number of messages in progress. */
  concurrency: number
  onProblem: (problem: string) => void
  /** Called for each message that cannot be indexed; it is acknowledged and left out. */
  onSetAside: (problem: string) => void
  signal: AbortSignal
}

/** The interval at which the acknowledgement deadline of a message in progress is extended. */
const workingMilliseconds = 2_500
/** The pause between two attempts to read the queue. */
const againMilliseconds = 1_000

const readFile = async (files: Pick<Files, 'read'>, key: string): Promise<ArrayBuffer> => {
  const parts: Uint8Array[] = []
  for await (const part of files.read(key)) parts.push(part)
  return Uint8Array.from(Buffer.concat(parts)).buffer
}

/** Processes the append log until the signal aborts: a message is acknowledged only after its entries are committed. */
export const startIndexing = (options: IndexingOptions): Promise<void> => {
  const { bus, files, catalogue, take, settle, concurrency, onProblem, onSetAside, signal } = options

  /** Outcomes for the same replica are sent together. */
  const outgoing = new Map<string, Outcome[]>()
  const report = (sender: string, outcome: Outcome) => {
    if (settle(outcome)) return
    const known = outgoing.get(sender)
    if (known) return void known.push(outcome)
    const outcomes = [outcome]
    outgoing.set(sender, outcomes)
    setImmediate(() => {
      outgoing.delete(sender)
      // A sender that misses a receipt finds it in the catalogue.
      bus.publish(receiptsFor(sender), outcomes).catch(() => undefined)
    })
  }
  /** undefined where the content is gone: another replica has indexed it, but its acknowledgement was lost. */
  const batchOf = async ({ content }: Message): Promise<ArrayBuffer | undefined> => {
    if (content.kind === 'unreadable') throw new BatchUnreadable(content.problem)
    if (content.kind === 'batch') return content.batch
    try {
      return await readFile(files, content.key)
    } catch (error) {
      if (isServiceError(error, 'not_found')) return undefined
      throw error
    }
  }
  /** A redelivered message may have been committed without an acknowledgement: then the first receipt counts. */
  const receiptOf = async (message: Message, delivery: number): Promise<Receipt | undefined> => {
    const first = async () => (delivery > 1 ? (await catalogue.receipts([message.id]))[0] : undefined)
    const known = await first()
    if (known) return known
    const batch = await batchOf(message)
    if (!batch) return undefined
    const receipt = await take({ id: message.id, sentAfter: message.sentAfter }, batch)
    return (await first()) ?? receipt
  }
  const outcomeOf = async (message: Message, delivery: number): Promise<Outcome | undefined> => {
    try {
      return await receiptOf(message, delivery)
    } catch (error) {
      if (!isBatchUnreadable(error)) throw error
      onSetAside(`A message of the append log cannot be indexed and was set aside: ${error.message}`)
      return { message: message.id, problem: error.message }
    }
  }
  const handle = async ({ value: message, delivery }: Job<Message>, { working }: Handling) => {
    const beat = setInterval(working, workingMilliseconds)
    try {
      const outcome = await outcomeOf(message, delivery)
      if (outcome) report(message.sender, outcome)
      if (message.content.kind === 'file') await files.remove(message.content.key)
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
