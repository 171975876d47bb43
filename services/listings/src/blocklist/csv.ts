import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { serviceError } from '@trellis/kit/errors'
import { parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import type { BlocklistRow, NewEntry } from './store.ts'

const columns = ['platform', 'platform_seller_id', 'username', 'reason', 'source', 'created_at'] as const

/** Maximum size of an imported file. */
export const maxImport = { bytes: 20 * 1024 * 1024, rows: 100_000 } as const
/** Maximum characters (code points) of a cell, as for entries that are added one by one. */
const maxCharacters = { platform: 40, platform_seller_id: 200, username: 200, reason: 1_000 } as const

/** Cells that a spreadsheet would run as a formula, including those that already have an apostrophe in front. */
const formula = /^'*[=+\-@\t\r＝＋－＠]/

const escapeFormula = (cell: string): string => (formula.test(cell) ? `'${cell}` : cell)
const unescapeFormula = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

/** Lines of CSV for entries, each ended by CRLF (RFC 4180). */
export const toCsv = (entries: readonly Pick<BlocklistRow, (typeof columns)[number]>[]): string =>
  stringify(
    entries.map((entry) => columns.map((column) => escapeFormula(entry[column] ?? ''))),
    { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  )

export const csvHeader = `${columns.join(',')}\r\n`

/** Decodes a file. Throws 400 if it is not UTF-8. */
export const decodeCsv = (bytes: Uint8Array): string => {
  try {
    // The decoder drops a byte-order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw serviceError('malformed', 'The file is not UTF-8: save it as CSV with the encoding UTF-8.', { cause })
  }
}

type Cells = { readonly [Column in keyof typeof maxCharacters]: string }

const isLonger = (text: string, limit: number): boolean => text.length > limit && [...text].length > limit

/** What is wrong with a row; undefined if it can be imported. */
const problemOf = (cells: Cells): string | undefined => {
  for (const column of ['platform_seller_id', 'username'] as const)
    if (cells[column] === '') return `${column} is missing`
  for (const column of Object.keys(maxCharacters) as (keyof Cells)[])
    if (isLonger(cells[column], maxCharacters[column]))
      return `${column} is longer than ${maxCharacters[column]} characters`
  return cells.platform_seller_id.includes('\0') || Object.values(cells).some((cell) => cell.includes('\0'))
    ? 'it contains a NUL character'
    : undefined
}

export type Import = { readonly entries: readonly NewEntry[]; readonly errors: readonly string[] }

const bytesPerPiece = 65_536
const rowsPerTurn = 2_000

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += bytesPerPiece) yield bytes.subarray(start, start + bytesPerPiece)
}

/** A first line that tells spreadsheets the delimiter and that they do not show. */
const delimiterLine = /^(\uFEFF?)sep=[,;\t](?:\r\n|\r|\n)/i

/** The delimiter of cells, according to the header: a comma, or the semicolon or tab of spreadsheets where the comma is the decimal separator. */
const delimiterOf = (text: string): string => {
  const [header = ''] = text.split(/[\r\n]/, 1)
  const names = (delimiter: string) =>
    header.split(delimiter).map((name) => name.replaceAll('"', '').trim().toLowerCase())
  return [',', ';', '\t'].find((delimiter) => names(delimiter).includes('platform_seller_id')) ?? ','
}

/** The rows of a file, header included. Throws 422 for text that is not CSV. */
async function* rowsOf(text: string): AsyncGenerator<readonly string[]> {
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(text),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: 100_000,
  })
  let rows = 0
  try {
    for await (const row of Readable.from(piecesOf(Buffer.from(text))).pipe(parser)) {
      yield row
      rows += 1
      // Other calls are served between two turns.
      if (rows % rowsPerTurn === 0) await nextTurn()
    }
  } catch (cause) {
    throw serviceError('invalid', `The file is not CSV: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/**
 * Reads entries from CSV with a header row, which is row 1. Rows that cannot be imported are reported. Throws 413 for more rows
 * than the maximum, and 422 for text that is not CSV.
 */
export const readCsv = async (text: string, defaultPlatform: string): Promise<Import> => {
  const entries: NewEntry[] = []
  const errors: string[] = []
  let number = 0
  let names: readonly string[] = []
  const at = (row: readonly string[], column: keyof Cells) => unescapeFormula((row[names.indexOf(column)] ?? '').trim())
  for await (const row of rowsOf(text.replace(delimiterLine, '$1'))) {
    number += 1
    if (number === 1) {
      names = row.map((name) => name.trim().toLowerCase())
      continue
    }
    if (number - 1 > maxImport.rows)
      throw serviceError('too_large', `The file has more than ${maxImport.rows} rows: split it.`)
    if (row.length === 1 && row[0]?.trim() === '') continue
    const cells: Cells = {
      platform: at(row, 'platform') || defaultPlatform,
      platform_seller_id: at(row, 'platform_seller_id'),
      username: at(row, 'username'),
      reason: at(row, 'reason'),
    }
    const problem = problemOf(cells)
    if (problem === undefined) entries.push({ ...cells, reason: cells.reason || null, source: 'csv_import' })
    else errors.push(`Row ${number}: ${problem}.`)
  }
  return { entries, errors }
}
