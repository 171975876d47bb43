import { createReadStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nounFor } from '../../counted.ts'
import { decodeBatch } from '../../entries/entry-batch.ts'
import { createExpansion } from '../../ingest/unpack/expansion.ts'
import { createSpool } from '../../ingest/unpack/spool.ts'
import { unpack } from '../../ingest/unpack/unpack.ts'
import { activeUserFormats, plainFormat } from '../active-formats.ts'
import { createFileParser } from '../file-parser.ts'
import { utc } from '../zone.ts'
import type { Report } from './test-format.ts'

const maxShown = 20
const maxLineCharacters = 200
const unlimited = Number.MAX_SAFE_INTEGER

type Unmatched = { sequence: number; text: string }

const shortened = (text: string) => {
  const [line = ''] = text.split('\n', 1)
  return line.length > maxLineCharacters ? `${line.slice(0, maxLineCharacters)}...` : line
}

/** The entries of a batch that no format knows. */
const unmatchedIn = (buffer: ArrayBuffer): Unmatched[] => {
  const batch = decodeBatch(buffer)
  const found: Unmatched[] = []
  for (let index = 0; index < batch.count; index++) {
    if (batch.origins[batch.originOf[index] ?? 0]?.format !== plainFormat) continue
    const from = index === 0 ? 0 : (batch.textEnds[index - 1] ?? 0)
    const text = Buffer.from(batch.text.subarray(from, batch.textEnds[index])).toString()
    found.push({ sequence: batch.sequences[index] ?? 0, text: shortened(text) })
  }
  return found
}

const count = new Intl.NumberFormat('en')

const reportOf = (
  name: string,
  { lines, entries, formats }: ReturnType<typeof createFileParser>['counts'],
): string[] => {
  const own = new Set(activeUserFormats().formats.map((format) => format.name))
  const rows = Object.entries(formats).toSorted((a, b) => b[1] - a[1])
  const width = Math.max(0, ...rows.map(([format]) => format.length))
  const note = (format: string) =>
    format === plainFormat ? '  (no format knows them)' : own.has(format) ? '  (yours)' : ''
  return [
    `${name}: ${count.format(lines)} ${nounFor(lines, 'line')}, ${count.format(entries)} ${nounFor(entries, 'entry', 'entries')}`,
    ...rows.map(([format, of]) => `  ${format.padEnd(width)}  ${count.format(of).padStart(10)}${note(format)}`),
  ]
}

/** What is to be said of a log, packed or not: which formats its lines have, and those that no format knows, the first of them. */
export const testLog = async (path: string, now: number): Promise<Report> => {
  const limits = { packedBytes: unlimited, expandedBytes: unlimited }
  const options = {
    expansion: createExpansion(limits).file(),
    spool: createSpool({ directory: join(tmpdir(), 'trellis-formats'), maxBytes: unlimited }),
  }
  const lines: string[] = []
  for await (const text of unpack(createReadStream(path), options)) {
    if ('skipped' in text) {
      lines.push(`${text.path}: it ${text.skipped}.`)
      continue
    }
    const unmatched: Unmatched[] = []
    let more = 0
    const parser = createFileParser({
      source: { sourceId: path, branch: null, tenantId: null },
      time: { zone: utc, reference: now },
      now: () => now,
      onBatch: (batch) => {
        const found = unmatchedIn(batch)
        const room = Math.max(0, maxShown - unmatched.length)
        unmatched.push(...found.slice(0, room))
        more += Math.max(0, found.length - room)
      },
    })
    for await (const chunk of text.content) parser.push(chunk)
    parser.end()
    lines.push(...reportOf(text.path ?? path, parser.counts))
    if (unmatched.length > 0) lines.push('Not known:')
    lines.push(...unmatched.map(({ sequence, text: shown }) => `  line ${sequence}: ${shown}`))
    if (more > 0) lines.push(`  and ${count.format(more)} more entries`)
  }
  return { lines, isGood: true }
}
