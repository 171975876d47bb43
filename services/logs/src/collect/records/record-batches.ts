import { createBatchBuilder } from '../../entries/batch-builder.ts'
import type { TimeContext } from '../../formats/time.ts'
import type { Batch, Checkpoint } from '../collector.ts'
import type { CollectedRecord } from './record.ts'
import { createRecordParser } from './record-parser.ts'
import { tick, withTicks } from './with-ticks.ts'

/** What a reader gives: a record, if there is one, and the place behind it, if one can be told. */
export type ReadRecord = { record?: CollectedRecord | undefined; checkpoint?: Checkpoint | undefined }

export type RecordBatchOptions = {
  tenantId: string | null
  time: TimeContext
  now: () => number
  /** Where records come as they are written: a batch is made of those that came in so long, or of so many if that is sooner. */
  flush?: { milliseconds: number; records: number }
}

const batchEntries = 4_096
const batchTextBytes = 1024 * 1024
const followedTextBytes = 32 * 1024

/** Makes batches of records as they are read. */
export async function* batchRecords(
  reads: AsyncIterable<ReadRecord>,
  { tenantId, time, now, flush }: RecordBatchOptions,
): AsyncGenerator<Batch> {
  // What is followed comes by the hundred, and of many at once; the room for text grows where it has to.
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
    const { record, checkpoint: place } = read
    if (record) {
      lines += 1
      bytes += record.text.length
      parser.push(record)
    }
    // Where a reader cannot tell a place it is in the middle of something: what is behind the last one is read again then, and known.
    checkpoint = place ?? checkpoint
    hasNews ||= record !== undefined || place !== undefined
  }
  if (hasNews) yield finish()
}
