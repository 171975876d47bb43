import { createBatchBuilder } from '../../entries/batch-builder.ts'
import { journalExportFormat } from '../../formats/active-formats.ts'
import {
  batchEntries,
  batchTextBytes,
  type FileParser,
  type FileParserOptions,
  type ParseCounts,
} from '../../formats/file-parser.ts'
import { createRecordParser } from '../records/record-parser.ts'
import { createExportReader, type JournalFields } from './export-format.ts'
import { journalRecord } from './journal-record.ts'
import { createWholeLines } from './whole-lines.ts'

/**
 * Parses a journal export as a stream. The entries equal those of the journal itself when it is collected, all under the source of the file. An
 * entry with a message counts as a line, an unreadable one as rejected, and one without a message is not counted.
 */
export const createExportFileParser = ({ source, time, now, onBatch }: FileParserOptions): FileParser => {
  const { sourceId, ...owner } = source
  const builder = createBatchBuilder(batchEntries, batchTextBytes + 256 * 1024)
  const counts: ParseCounts = { lines: 0, entries: 0, joined: 0, rejected: 0, formats: {} }
  const finishBatch = () => {
    const entries = builder.count
    if (entries > 0) onBatch(builder.finish(now()), entries)
  }
  const parser = createRecordParser({
    owner,
    time,
    unknownFormat: journalExportFormat,
    onEntry: (entry, records) => {
      const { format } = entry.origin
      counts.lines += records
      counts.entries++
      counts.joined += records - 1
      counts.formats[format] = (counts.formats[format] ?? 0) + records
      builder.add(entry)
      if (builder.count === batchEntries || builder.size >= batchTextBytes) finishBatch()
    },
  })
  let unsettled = 0
  let unsettledText = 0
  const settle = () => {
    parser.settle()
    unsettled = 0
    unsettledText = 0
  }
  const reader = createExportReader(() => {
    counts.lines++
    counts.rejected++
  })
  const lines = createWholeLines()
  const takeAll = (read: readonly JournalFields[]) => {
    for (const fields of read) {
      const record = journalRecord(fields, () => sourceId)
      if (!record) continue
      parser.push(record)
      unsettled++
      unsettledText += record.text.length
      if (unsettled >= batchEntries || unsettledText >= batchTextBytes) settle()
    }
  }
  return {
    counts,
    push: (chunk) => takeAll(reader.push(chunk).flatMap(lines.push)),
    end: () => {
      takeAll(reader.end().flatMap(lines.push))
      takeAll(lines.end())
      parser.close()
      finishBatch()
    },
    settle: (closes) => {
      if (closes) parser.close()
      else parser.settle()
      finishBatch()
      return counts.lines + 1
    },
  }
}
