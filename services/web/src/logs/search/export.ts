import type { FoundEntryRest } from '@trellis/protos/edge/client.ts'
import { call, type RequestOf } from '../../api/client.ts'

export type ExportFormat = 'text' | 'ndjson' | 'csv'

/** So much is held in memory until it is saved. */
export const maxExported = 100_000
const perPage = 1_000

const cell = (value: string): string => {
  // A cell that begins so would be run by a spreadsheet.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const writers: Record<
  ExportFormat,
  { head: string; line: (entry: FoundEntryRest) => string; type: string; suffix: string }
> = {
  text: { head: '', line: ({ text }) => text, type: 'text/plain', suffix: 'log' },
  ndjson: { head: '', line: (entry) => JSON.stringify(entry), type: 'application/x-ndjson', suffix: 'ndjson' },
  csv: {
    head: 'time,severity,source,text\n',
    line: ({ timestamp_iso, severity, source_id, text }) =>
      [timestamp_iso ?? '', severity ?? '', source_id, text].map(cell).join(','),
    type: 'text/csv',
    suffix: 'csv',
  },
}

/** Reads everything that a search finds, a page at a time, oldest last. Returns the file and how many entries it has. */
export const exportEntries = async (
  query: NonNullable<RequestOf<'GET /logs/api/search'>['query']>,
  format: ExportFormat,
  { onProgress, signal }: { onProgress: (done: number, total: number) => void; signal: AbortSignal },
): Promise<{ file: File; count: number; isComplete: boolean }> => {
  const { head, line, type, suffix } = writers[format]
  const parts: string[] = [head]
  let count = 0
  let cursor: string | null = null
  do {
    const page: { entries: FoundEntryRest[]; total: number; next_cursor: string | null } = await call(
      'GET /logs/api/search',
      { query: { ...query, order: 'time', limit: perPage, cursor } },
      { signal },
    )
    for (const entry of page.entries) parts.push(`${line(entry)}\n`)
    count += page.entries.length
    cursor = page.next_cursor
    onProgress(count, Math.min(maxExported, page.total))
  } while (cursor !== null && count < maxExported)
  const name = `logs-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${suffix}`
  return { file: new File(parts, name, { type }), count, isComplete: cursor === null }
}
