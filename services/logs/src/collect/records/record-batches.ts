import { createBatchBuilder, type NewEntry } from '../../entries/batch-builder.ts'
import type { TimeContext } from '../../formats/time.ts'
import type { Batch, Checkpoint } from '../collector.ts'
import type { SourceEntry } from '../source-entry.ts'
import type { CollectedRecord } from './record.ts'
import { createRecordParser } from './record-parser.ts'
import { tick, withTicks } from './with-ticks.ts'

/** A step of a reader: a record, if there is one, and the position after it, if it is known. */
export type ReadRecord = { record?: CollectedRecord | undefined; checkpoint?: Checkpoint | undefined }

export type RecordBatchOptions = {
  /** The keys of a source that apply to its records. */
  source: Pick<SourceEntry, 'tenantId' | 'format' | 'multiline'>
  time: TimeContext
  now: () => number
  /** For live records: the maximum time and number of records of a batch. */
  flush?: { milliseconds: number; records: number }
}

const batchEntries = 4_096
const batchTextBytes = 1024 * 1024
const followedTextBytes = 32 * 1024

/** Entries that are complete, with the number of records that each has. */
type Ready = { entry: NewEntry; records: number }

/** Builds batches of bounded size. All but the last are without a checkpoint. */
const createBatches = ({ now, flush }: RecordBatchOptions) => {
  // Followed streams are small and many, so the builder starts small; its space for text grows on demand.
  const capacity = Math.min(flush?.records ?? batchEntries, batchEntries) + 1_024
  const builder = createBatchBuilder(capacity, flush ? followedTextBytes : batchTextBytes + 256 * 1024)
  return function* (ready: readonly Ready[], bytes: number, checkpoint: Checkpoint | undefined): Generator<Batch> {
    let formats: Record<string, number> = {}
    let lines = 0
    const finish = (more: Pick<Batch, 'bytes' | 'checkpoint'>): Batch => {
      const entries = builder.count
      const made = { batch: entries > 0 ? builder.finish(now()) : undefined, entries, lines, formats, ...more }
      formats = {}
      lines = 0
      return made
    }
    for (const { entry, records } of ready) {
      if (builder.count === capacity || builder.size >= batchTextBytes)
        yield finish({ bytes: 0, checkpoint: undefined })
      builder.add(entry)
      const { format } = entry.origin
      formats[format] = (formats[format] ?? 0) + records
      lines += records
    }
    yield finish({ bytes, checkpoint })
  }
}

/**
 * Groups records into batches as they are read. An entry that may get more lines is in none yet, except at the end or if nothing was written
 * for an interval, and the checkpoint is before it.
 */
export async function* batchRecords(
  reads: AsyncIterable<ReadRecord>,
  options: RecordBatchOptions,
): AsyncGenerator<Batch> {
  const { source, time, now, flush } = options
  const batchesOf = createBatches(options)
  let ready: Ready[] = []
  const parser = createRecordParser({
    owner: { branch: null, tenantId: source.tenantId },
    time,
    format: source.format,
    joins: source.multiline,
    onEntry: (entry, records) => ready.push({ entry, records }),
  })
  let records = 0
  let text = 0
  let bytes = 0
  let isQuiet = true
  let checkpoint: Checkpoint | undefined
  let stored: Checkpoint | undefined
  const finish = (): Iterable<Batch> => {
    const { earliest } = parser
    const position = earliest ? earliest.before : checkpoint
    const hasNews = ready.length > 0 || position !== stored
    const made = hasNews ? batchesOf(ready, bytes, position) : []
    ready = []
    if (hasNews) bytes = 0
    records = 0
    text = 0
    stored = position
    return made
  }
  const isFull = () => records >= (flush?.records ?? batchEntries) || text >= batchTextBytes
  for await (const read of flush ? withTicks(reads, flush.milliseconds) : reads) {
    if (read === tick) {
      // Times of records and of this process may differ, but what gets no line for an interval is complete.
      if (isQuiet) parser.close()
      else parser.settle(now())
      isQuiet = true
      yield* finish()
      continue
    }
    if (isFull()) {
      parser.settle()
      yield* finish()
    }
    const { record, checkpoint: latest } = read
    if (record) {
      isQuiet = false
      records += 1
      text += record.text.length
      bytes += record.text.length
      parser.push(record, checkpoint)
    }
    // Without a position, the reader is in the middle of an entry: records after the last position are read again then, and recognised.
    checkpoint = latest ?? checkpoint
  }
  parser.close()
  yield* finish()
}
