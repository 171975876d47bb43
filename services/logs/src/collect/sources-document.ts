import { messageOf } from '@trellis/kit/errors'
import { type Document, isCollection, isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml'
import { isProblem, readSource } from './read-source.ts'
import type { SourceEntry } from './source-entry.ts'

/** The content of a sources file. A source with a mistake is skipped and reported; the others are valid. */
export type SourcesDocument = {
  entries: SourceEntry[]
  /** Sentences, each with the line that it is about. */
  problems: string[]
  /** False if nothing of it could be read, so that it does not state which sources are configured. */
  isReadable: boolean
}

export const maxSources = 5_000
export const maxDocumentBytes = 8 * 1024 * 1024

type Parsed = { document: Document.Parsed; lines: LineCounter }

const parse = (text: string): Parsed => {
  const lines = new LineCounter()
  return { document: parseDocument(text, { lineCounter: lines }), lines }
}

const lineOf = ({ document, lines }: Parsed, path: (string | number)[]): number | undefined => {
  const node = document.getIn(path, true)
  const offset = isNode(node) ? node.range?.[0] : undefined
  return offset === undefined ? undefined : lines.linePos(offset).line
}

const unreadable = (problem: string): SourcesDocument => ({ entries: [], problems: [problem], isReadable: false })

/** The list of sources, or a sentence that explains why there is none. */
const listOf = ({ document }: Parsed): unknown[] | string => {
  const [error] = document.errors
  if (error) return `line ${error.linePos?.[0].line ?? 1}: ${error.message.split(/ at line|:?\n/)[0]}.`
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    return `its aliases cannot be followed (${messageOf(cause)}).`
  }
  if (value === null || value === undefined) return []
  const list = typeof value === 'object' && 'sources' in value ? (value.sources ?? []) : value
  if (!Array.isArray(list)) return 'it must be a list of sources under the key "sources".'
  return list.length > maxSources ? `it has ${list.length} sources; there may be ${maxSources}.` : list
}

/** Parses a sources file. `name` identifies it in problems. */
export const readSourcesDocument = (text: string, name: string): SourcesDocument => {
  if (text.length > maxDocumentBytes) return unreadable(`${name}: it is larger than ${maxDocumentBytes} characters.`)
  const parsed = parse(text)
  const list = listOf(parsed)
  if (typeof list === 'string') return unreadable(`${name}: ${list}`)
  const isWrapped = isMap(parsed.document.contents)
  const entries = new Map<string, SourceEntry>()
  const problems: string[] = []
  for (const [index, item] of list.entries()) {
    const nodePath = isWrapped ? ['sources', index] : [index]
    const complain = (problem: string, key?: string) => {
      const line = (key === undefined ? undefined : lineOf(parsed, [...nodePath, key])) ?? lineOf(parsed, nodePath)
      const where = `sources[${index}]${key === undefined ? '' : `.${key}`}`
      problems.push(`${name}, line ${line ?? 1}: ${where} ${problem}.`)
    }
    const read = readSource(item)
    if (isProblem(read)) complain(read.problem, read.key)
    else if (entries.has(read.id)) complain(`is "${read.id}", which an earlier source has`, 'id')
    else entries.set(read.id, read)
  }
  return { entries: [...entries.values()], problems, isReadable: true }
}

/**
 * The text with sources appended; comments and the existing order are preserved. Throws TypeError if the text is not a list of sources;
 * `readSourcesDocument` reports the reason.
 */
export const withSources = (text: string, added: readonly Record<string, unknown>[]): string => {
  const { document } = parse(text)
  if (document.errors.length > 0) throw new TypeError('The text is not YAML.')
  if (document.contents === null) document.contents = document.createNode({ sources: [] }) as never
  const path = isMap(document.contents) ? ['sources'] : []
  const list = path.length === 0 ? document.contents : document.getIn(path, true)
  if (path.length > 0 && !isSeq(list)) document.setIn(path, document.createNode([]))
  const target = path.length === 0 ? document.contents : document.getIn(path, true)
  if (!isSeq(target)) throw new TypeError('The text is not a list of sources.')
  // A list that was written as [] would otherwise continue on one line.
  if (isCollection(target) && target.items.length === 0) target.flow = false
  for (const source of added) target.add(document.createNode(source))
  return document.toString({ lineWidth: 0 })
}
