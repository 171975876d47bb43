import type { LineEntry } from './line.ts'

export type CopyFormat = 'text' | 'time' | 'json'

const writers: Record<CopyFormat, (entry: LineEntry) => string> = {
  text: ({ text }) => text,
  time: ({ timestamp_iso: time, severity, source_id: source, message, text }) =>
    [time ?? '-', severity ?? '-', source, message || text].join(' '),
  json: (entry) => JSON.stringify(entry),
}

/** Entries as text to paste: as they were written, with time, severity and source first, or as JSON, an entry a line. */
export const copyText = (entries: readonly LineEntry[], format: CopyFormat): string =>
  entries.map(writers[format]).join('\n')
