import { jsonCodec, queue, topics } from '@trellis/kit/bus'
import { messageOf } from '@trellis/kit/errors'
import type { Receipt } from './shared-catalogue.ts'

/**
 * Entries on their way to the replica that indexes them: the batch itself or, if it is too large for the bus, the key of a file that contains it.
 */
export type Message = {
  id: string
  /** The replica that waits for the receipt. */
  sender: string
  /** The version of the catalogue when the message was sent: sources that are deleted at a later version hide its entries. */
  sentAfter: number
  content:
    | { kind: 'batch'; batch: ArrayBuffer }
    | { kind: 'file'; key: string }
    | { kind: 'unreadable'; problem: string }
}

type Head = { id: string; sender: string; sentAfter?: number; file?: string }

const headStart = 4

const encode = ({ id, sender, sentAfter, content }: Message): Uint8Array => {
  const head: Head = { id, sender, sentAfter, ...(content.kind === 'file' && { file: content.key }) }
  const headBytes = Buffer.from(JSON.stringify(head))
  const size = Buffer.alloc(headStart)
  size.writeUInt32LE(headBytes.length)
  return Buffer.concat([size, headBytes, content.kind === 'batch' ? new Uint8Array(content.batch) : Buffer.alloc(0)])
}

const decodeWhole = (bytes: Uint8Array): Message => {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = headStart + whole.readUInt32LE(0)
  // Messages from before deletions existed have no version and count as new.
  const {
    id,
    sender,
    sentAfter = Number.MAX_SAFE_INTEGER,
    file,
  } = JSON.parse(whole.toString('utf8', headStart, end)) as Head
  // Copied, because the columns of a batch must be aligned to eight bytes and the buffer is transferred to a thread.
  const content: Message['content'] =
    file === undefined
      ? { kind: 'batch', batch: Uint8Array.from(whole.subarray(end)).buffer }
      : { kind: 'file', key: file }
  return { id, sender, sentAfter, content }
}

/** Never throws: the bus would redeliver the message for ever. */
const decode = (bytes: Uint8Array): Message => {
  try {
    return decodeWhole(bytes)
  } catch (error) {
    return { id: '', sender: '', sentAfter: 0, content: { kind: 'unreadable', problem: messageOf(error) } }
  }
}

/** The result of a message: a receipt, or the reason why it cannot be indexed. */
export type Outcome = Receipt | { message: string; problem: string }

/**
 * The append log of all replicas. A message stays until its entries are in a committed segment, however many of its consumers are killed: it is
 * never dead-lettered, and processing it is idempotent.
 */
export const entryMessages = queue<Message>({
  name: 'logs-entries',
  encode,
  decode,
  // Shorter than a sender waits, so that another replica takes over the messages of a killed one in time.
  acknowledgeWithinMilliseconds: 10_000,
  maxDeliveries: 1_000_000,
  backOffMilliseconds: [1_000, 2_000, 5_000, 15_000],
  maxWaiting: 2_000,
})

/** Outcomes for one replica, published as segments are committed. */
export const receiptsFor = topics<Outcome[]>({
  family: 'logs.receipts',
  ...jsonCodec<Outcome[]>(),
  keep: { events: 1_000, milliseconds: 60_000 },
})

/** Announces a change of the catalogue. It is only a hint: the content is in the store. */
export const catalogueChanges = topics<{ by: string }>({
  family: 'logs.catalogue',
  ...jsonCodec<{ by: string }>(),
  keep: { events: 100, milliseconds: 60_000 },
})('all')
