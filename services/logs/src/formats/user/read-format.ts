import { closedObject, oneOf, readDocument, shownPath } from '@trellis/kit/documents'
import { messageOf } from '@trellis/kit/errors'
import { isNode, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import type { JsonFormat, LogFormat, PatternFormat } from '../format.ts'
import { flag, joins, levels, name, paths, pattern, samples, text, timeLayout } from './format-fields.ts'

export type DescribedFormat = { format: LogFormat; description: string | undefined }
/** A format, or the sentence that says what is wrong with its file and where. */
export type ReadFormat = DescribedFormat | { problem: string }

export const isFaulty = (read: ReadFormat): read is { problem: string } => 'problem' in read

/** Fields in the order of messages: the first wrong one is reported. */
const leading = {
  name,
  description: text.optional(),
  kind: oneOf(['pattern', 'json']).optional(),
}
const trailing = {
  levels: levels.exactOptional(),
  wraps: flag.exactOptional(),
  samples,
}

const patternFormat = closedObject({
  ...leading,
  pattern,
  time: timeLayout.exactOptional(),
  joins: joins.default('traces'),
  announces: flag.exactOptional(),
  ...trailing,
}).transform(({ description, kind: _, ...fields }): DescribedFormat => {
  const format: PatternFormat = { kind: 'pattern', isOfUser: true, ...fields }
  return { format, description }
})

const jsonFormat = closedObject({
  ...leading,
  requires: paths,
  time: paths.default([]),
  level: paths.default([]),
  status: paths.exactOptional(),
  message: paths.default([]),
  numbers: oneOf(['pino', 'syslog', 'nextcloud', 'openTelemetry', 'cvss']).exactOptional(),
  ...trailing,
}).transform(({ description, kind: _, ...fields }): DescribedFormat => {
  const format: JsonFormat = { kind: 'json', ...fields }
  return { format, description }
})

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
  const schema: z.ZodType<DescribedFormat> = value.kind === 'json' ? jsonFormat : patternFormat
  const read = readDocument(schema, value)
  if ('value' in read) return read.value
  const { path, message } = read.problem
  const lineOf = (): number => {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true)
      if (isNode(node) && node.range) return at(node.range[0])
    }
    return 1
  }
  return { problem: `${file}, line ${lineOf()}: ${shownPath(path)} ${message}.` }
}
