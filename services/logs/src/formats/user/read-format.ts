import { messageOf } from '@trellis/kit/errors'
import { isNode, LineCounter, parseDocument } from 'yaml'
import type { JsonFormat, LogFormat, PatternFormat } from '../format.ts'
import {
  FieldProblem,
  type FieldReader,
  flag,
  joins,
  levels,
  name,
  oneOf,
  paths,
  pattern,
  samples,
  text,
  timeLayout,
} from './format-fields.ts'

export type DescribedFormat = { format: LogFormat; description: string | undefined }
/** A format, or the sentence that says what is wrong with its file and where. */
export type ReadFormat = DescribedFormat | { problem: string }

export const isFaulty = (read: ReadFormat): read is { problem: string } => 'problem' in read

type Field = { read: FieldReader<unknown>; isRequired?: true }

const common = {
  name: { read: name, isRequired: true },
  description: { read: text },
  kind: { read: oneOf('pattern', 'json') },
} as const
const always = {
  levels: { read: levels },
  wraps: { read: flag },
  samples: { read: samples, isRequired: true },
} as const

/** The keys of a format file, by its kind. */
const keysOf: Record<'pattern' | 'json', Record<string, Field>> = {
  pattern: {
    ...common,
    pattern: { read: pattern, isRequired: true },
    time: { read: timeLayout },
    joins: { read: joins },
    announces: { read: flag },
    ...always,
  },
  json: {
    ...common,
    requires: { read: paths, isRequired: true },
    time: { read: paths },
    level: { read: paths },
    status: { read: paths },
    message: { read: paths },
    numbers: { read: oneOf('pino', 'syslog', 'nextcloud', 'openTelemetry') },
    ...always,
  },
}

type Path = (string | number)[]
type Fault = { problem: string; path: Path }

const isFault = (value: object): value is Fault => 'problem' in value

const readFields = (given: Record<string, unknown>, keys: Record<string, Field>): Record<string, unknown> | Fault => {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(keys, key))
  if (unknown !== undefined)
    return { problem: `"${unknown}" is no key of a format: there are ${Object.keys(keys).join(', ')}`, path: [unknown] }
  const fields: Record<string, unknown> = {}
  for (const [key, { read, isRequired }] of Object.entries(keys)) {
    const value = given[key]
    if (value === undefined && isRequired) return { problem: `${key} is missing`, path: [] }
    if (value === undefined) continue
    try {
      fields[key] = read(value)
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error
      const place = error.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
      return { problem: `${key}${place} ${error.message}`, path: [key, ...error.path] }
    }
  }
  return fields
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The format of fields that have been read, each by the reader of its key. */
const formatOf = (kind: 'pattern' | 'json', fields: Record<string, unknown>): DescribedFormat => {
  const { description, kind: _kind, ...rest } = fields
  const format =
    kind === 'pattern'
      ? ({ kind, joins: 'traces', isOfUser: true, ...rest } as unknown as PatternFormat)
      : ({ kind, time: [], level: [], message: [], ...rest } as unknown as JsonFormat)
  return { format, description: typeof description === 'string' ? description : undefined }
}

/** Reads one format out of YAML or JSON. `file` is what a problem calls it. Nothing of the pattern is tried here. */
export const readFormat = (content: string, file: string): ReadFormat => {
  const lines = new LineCounter()
  const document = parseDocument(content, { lineCounter: lines })
  const at = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line)
  const [error] = document.errors
  if (error) return { problem: `${file}, line ${at(error.pos[0])}: ${error.message.split(/ at line|:?\n/)[0]}.` }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    return {
      problem: `${file}: its aliases cannot be followed (${messageOf(cause)}).`,
    }
  }
  if (!isMapping(value)) return { problem: `${file}, line 1: a format is a mapping with name, pattern and samples.` }
  const kind = value.kind === 'json' ? 'json' : 'pattern'
  const fields = readFields(value, keysOf[kind])
  if (!isFault(fields)) return formatOf(kind, fields)
  const lineOf = (path: Path): number => {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true)
      if (isNode(node) && node.range) return at(node.range[0])
    }
    return 1
  }
  return { problem: `${file}, line ${lineOf(fields.path)}: ${fields.problem}.` }
}
