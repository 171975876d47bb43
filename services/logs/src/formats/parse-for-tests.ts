import { decodeBatch } from '../entries/entry-batch.ts'
import { type Severity, severityOfCode } from '../entries/severity-code.ts'
import { createFileParser } from './file-parser.ts'
import { utc } from './zone.ts'

export type Parsed = {
  text: string
  sequence: number
  time: string | null
  severity: Severity | null
  format: string
  repeat: number
}

/** Parses a file pushed in pieces of `cutAt` bytes. The reference year is 2024. */
export const parseForTests = (
  content: string | Buffer,
  cutAt = Number.POSITIVE_INFINITY,
  format?: string,
  firstYear?: number,
) => {
  const entries: Parsed[] = []
  const parser = createFileParser({
    source: { sourceId: 'test', branch: null, tenantId: null },
    time: { zone: utc, reference: Date.UTC(2024, 11, 31), firstYear },
    format,
    now: () => 0,
    onBatch: (buffer) => {
      const batch = decodeBatch(buffer)
      for (let index = 0; index < batch.count; index++) {
        const from = index === 0 ? 0 : (batch.textEnds[index - 1] ?? 0)
        const isOwn = ((batch.flags[index] ?? 0) & 32) === 0
        const time = batch.times[index] ?? Number.NaN
        entries.push({
          text: Buffer.from(batch.text.subarray(from, batch.textEnds[index])).toString(),
          sequence: batch.sequences[index] ?? 0,
          time: isOwn && !Number.isNaN(time) ? new Date(time).toISOString() : null,
          severity: severityOfCode((batch.flags[index] ?? 0) & 3),
          format: batch.origins[batch.originOf[index] ?? 0]?.format ?? '',
          repeat: batch.repeats[index] ?? 0,
        })
      }
    },
  })
  const bytes = Buffer.from(content)
  for (let start = 0; start < bytes.length; start += cutAt) parser.push(bytes.subarray(start, start + cutAt))
  parser.end()
  return { entries, counts: parser.counts }
}
