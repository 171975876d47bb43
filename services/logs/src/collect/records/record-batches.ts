import { createBatchBuilder } from '../../entries/batch-builder.ts'
import type { TimeContext } from '../../formats/time.ts'
import type { Batch, Checkpoint } from '../collector.ts'
import type { CollectedRecord } from './record.ts'
import { createRecordParser } from './record-parser.ts'
import { tick, withTicks } from './with-ticks.ts'

/** A step of a reader: a record, if there is one, and the position after it, if it is known. */
export type ReadRecord = { record?: CollectedRecord | undefined; checkpoint?: Checkpoint | undefined }

export type RecordBatchOptions = {
  tenantId: string | null
  time: TimeContext
  now: () => number
  /** For live records: the maximum time and number of records of a batch. */
  flush?: { milliseconds: number; records: number }
}

const batchEntries = 4_096
const batchTextBytes = 1024 * 1024
const followedTextBytes = 32 * 1024

/** Groups records into batches as they are read. */
export async function* batchRecords(
  reads: AsyncIterable<ReadRecord>,
  { tenantId, time, now, flush }: RecordBatchOptions,
): AsyncGenerator<Batch> {
  // Followed streams are small and many, so the builder starts small; its space for text grows on demand.
  const builder = flush
    ? createBatchBuilder(Math.min(flush.records, batchEntries) + 1_024, followedTextBytes)
    : createBatchBuilder(batchEntries + 1_024, batchTextBytes + 256 * 1024)
  let formats: Record<string, number> = {}
  const parser = createRecordParser({
    owner: { branch: null, tenantId },
    time,
    onEntry: (entry, records) => {
      builder.add(entry)
      const { format } = entry.origin
      formats[format] = (formats[format] ?? 0) + records
    },
  })
  let lines = 0
  let bytes = 0
  let checkpoint: Checkpoint | undefined
  let hasNews = false
  const finish = (): Batch => {
    parser.close()
    const entries = builder.count
    const batch = entries > 0 ? builder.finish(now()) : undefined
    const made: Batch = { batch, entries, lines, formats, bytes, checkpoint }
    lines = 0
    formats = {}
    bytes = 0
    hasNews = false
    return made
  }
  const isFull = () =>
    builder.count >= batchEntries ||
    builder.size >= batchTextBytes ||
    lines >= (flush?.records ?? Number.POSITIVE_INFINITY)
  for await (const read of flush ? withTicks(reads, flush.milliseconds) : reads) {
    if (hasNews && (read === tick || isFull())) yield finish()
    if (read === tick) continue
    const { record, checkpoint: latest } = read
    if (record) {
      lines += 1
      bytes += record.text.length
      parser.push(record)
    }
    // Without a position, the reader is in the middle of an entry: records after the last position are read again then, and recognised.
    checkpoint = latest ?? checkpoint
    hasNews ||= record !== undefined || latest !== undefined
  }
  if (hasNews) yield finish()
}
