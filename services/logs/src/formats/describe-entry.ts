import { exactJson } from '../parsed-json.ts'
import { activeFormats } from './active-formats.ts'
import { cleanLine } from './clean.ts'
import { describePattern } from './describe-pattern.ts'
import { wrappedFormatOf } from './detect.ts'
import type { LogFormat, PatternFormat } from './format.ts'
import type { Description } from './header.ts'
import { describeJson, parseJsonLine } from './json-reader.ts'
import { describeLogfmt } from './logfmt-reader.ts'

/**
 * A line that wraps another: its fields are those of both, its own first. A header without a message
 * has its whole line as the message, and that wraps nothing: the line is described once.
 */
const describeWrapped = (outer: Description, whole: string): Description => {
  const line = cleanLine(outer.message.trimEnd())
  const format = line.length < whole.length ? wrappedFormatOf(line) : undefined
  const inner = format && describeLine(format, line)
  if (!inner) return { ...outer, message: line }
  const fields = inner.fields || outer.fields ? { ...inner.fields, ...outer.fields } : null
  return { message: inner.message, fields, timestampRaw: outer.timestampRaw ?? inner.timestampRaw }
}

/** What a carried line names, by the first format that knows it. */
const carriedFields = (carries: readonly string[], message: string): Description['fields'] => {
  const object = parseJsonLine(message, exactJson)
  if (object) return object
  for (const name of carries) {
    const format = activeFormats().byName.get(name)
    const fields = format && describeLine(format, message)?.fields
    if (fields) return fields
  }
  return null
}

/** A format's own fields with those of the line that it carries; of one name, its own. */
const describeCarrying = (format: PatternFormat, line: string): Description | undefined => {
  const described = describePattern(format, line)
  const carried = described && format.carries && carriedFields(format.carries, described.message)
  return carried ? { ...described, fields: { ...carried, ...described.fields } } : described
}

const describeOwn = (format: LogFormat, line: string): Description | undefined => {
  if (format.kind === 'pattern') return describeCarrying(format, line)
  return format.kind === 'json' ? describeJson(format, line) : describeLogfmt(line)
}

/** Message, fields and written time of a line; undefined where the format does not fit it. */
export const describeLine = (format: LogFormat, line: string): Description | undefined => {
  const described = describeOwn(format, line)
  return described && format.kind !== 'logfmt' && format.wraps === true ? describeWrapped(described, line) : described
}

/** Lines after an entry's first: in the log of a container each wraps one, which is shown without the wrapping. */
const unwrapLines = (format: LogFormat, lines: string): string => {
  if (format.kind === 'logfmt' || format.wraps !== true) return lines
  const unwrap = (line: string) => cleanLine((describeOwn(format, line)?.message ?? line).trimEnd())
  return lines.split('\n').map(unwrap).join('\n')
}

/** Message, fields and written time of an entry, found again in its text. */
export const describeEntry = (formatName: string, text: string): Description => {
  const format = activeFormats().byName.get(formatName)
  // A JSON object may be written over several lines.
  const object = format?.kind === 'json' && text.startsWith('{\n') ? describeLine(format, text) : undefined
  if (object) return object
  const lineEnd = text.indexOf('\n')
  const firstLine = lineEnd < 0 ? text : text.slice(0, lineEnd)
  const found = format && describeLine(format, firstLine)
  if (!found) return { message: text, fields: null, timestampRaw: null }
  if (lineEnd < 0) return found
  const rest = unwrapLines(format, text.slice(lineEnd + 1))
  // A header alone has its message on the lines after it.
  return { ...found, message: found.message === '' ? rest : `${found.message}\n${rest}` }
}
