import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A set of Loghub: its raw lines, their contents without headers, and the kind of each line by its labels. */
export type LabelledSet = { name: string; raw: Buffer; contents: string[]; kinds: string[] }

/** Rows of a CSV with quoted cells. */
const rowsOf = (text: string): string[][] => {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end !== ',') rows.push([])
    if (end === '') break
  }
  return rows.filter((row) => row.length > 1)
}

const readGzip = (path: string) => gunzipSync(readFileSync(path))

/** All labelled sets in a folder, which has a subfolder for each. */
export const labelledSets = (folder: string): LabelledSet[] =>
  readdirSync(folder)
    .toSorted()
    .filter((name) => existsSync(join(folder, name, `${name}_2k.log_structured.csv.gz`)))
    .map((name) => {
      const [head = [], ...rows] = rowsOf(
        readGzip(join(folder, name, `${name}_2k.log_structured.csv.gz`)).toString('latin1'),
      )
      const [content, kind] = [head.indexOf('Content'), head.indexOf('EventId')]
      return {
        name,
        raw: readGzip(join(folder, name, `${name}_2k.log.gz`)),
        contents: rows.map((row) => row[content] ?? ''),
        kinds: rows.map((row) => row[kind] ?? ''),
      }
    })
