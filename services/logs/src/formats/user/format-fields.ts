import type { Severity } from '../../entries/severity-code.ts'
import { severities } from '../../entries/severity-code.ts'
import type { Sample } from '../format.ts'
import { problemOfSource } from '../matcher.ts'
import type { JoinRule } from '../multiline.ts'
import { groupAt } from '../pattern-steps.ts'
import { type TimeLayout, timeLayouts } from '../time.ts'
import { type TimePiece, timePieces } from '../time-scanner.ts'

/** A value of a format file that is not allowed. The message goes after the key: "must be ...". */
export class FieldProblem extends Error {
  override name = 'FieldProblem'
  /** Where within the value, if it is a list or a mapping. */
  readonly path: readonly (string | number)[]

  constructor(message: string, path: readonly (string | number)[] = []) {
    super(message)
    this.path = path
  }
}

export type FieldReader<Value> = (value: unknown) => Value

const maxSamples = 50
const maxTextCharacters = 8_192
const maxPatternCharacters = 4_096
const maxListed = 100

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const quoted = (names: readonly string[]) => names.join(', ').replace(/, ([^,]*)$/, ' or $1')

export const text: FieldReader<string> = (value) => {
  if (typeof value !== 'string' || value === '') throw new FieldProblem('must be a text')
  if (value.length > maxTextCharacters) throw new FieldProblem(`may have ${maxTextCharacters} characters`)
  return value
}

export const flag: FieldReader<boolean> = (value) => {
  if (typeof value !== 'boolean') throw new FieldProblem('must be true or false')
  return value
}

export const name: FieldReader<string> = (value) => {
  if (typeof value === 'string' && /^[a-z0-9][a-z0-9-]{0,39}$/.test(value)) return value
  throw new FieldProblem('must be 1 to 40 small letters, digits and hyphens, such as "shop-worker"')
}

export const oneOf =
  <Name extends string>(...names: readonly Name[]): FieldReader<Name> =>
  (value) => {
    const known = names.find((each) => each === value)
    if (known === undefined) throw new FieldProblem(`must be ${quoted(names)}`)
    return known
  }

export const joins: FieldReader<JoinRule> = oneOf('untilHeader', 'traces', 'never')

const headerGroups = ['time', 'instant', 'level', 'priority', 'status', 'message']

/** Throws for what a pattern of formats may not have: see `PatternFormat`. */
const checkShape = (source: string, pattern: RegExp): void => {
  if (!source.startsWith('^')) throw new FieldProblem('must begin with ^: a line is read from its start')
  if (groupAt(`(${source})`, 0).hasAlternatives)
    throw new FieldProblem('must have its alternatives in a group, as in ^(?:one|other)')
  if (/\\k<|\\[1-9]/.test(source)) throw new FieldProblem('must not refer back to its own groups (\\k<name> or \\1)')
  // With an alternative that is empty it matches anything, and tells its groups.
  const match = new RegExp(`${source}|`, pattern.flags).exec('')
  const names = Object.keys(match?.groups ?? {})
  const groups = (match?.length ?? 1) - 1
  if (groups > names.length)
    throw new FieldProblem('must have names for its groups, (?<name>...); write (?:...) for one without a meaning')
  const known = names.filter((each) => headerGroups.includes(each))
  if (known.length === 0) throw new FieldProblem(`must have a group that is named ${quoted(headerGroups)}`)
}

export const pattern: FieldReader<RegExp> = (value) => {
  const source = text(value)
  if (source.length > maxPatternCharacters) throw new FieldProblem(`may have ${maxPatternCharacters} characters`)
  let made: RegExp
  try {
    made = new RegExp(source, 'u')
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*?: (?=[^:]*$)/, '') : String(error)
    throw new FieldProblem(`is no regular expression: ${reason}`)
  }
  checkShape(source, made)
  const problem = problemOfSource(source)
  if (problem !== undefined) throw new FieldProblem(problem)
  return made
}

const layoutNames = [...Object.keys(timeLayouts), 'epoch', 'moment', 'tai64n']

const isLayout = (value: string): value is Extract<TimeLayout, string> => layoutNames.includes(value)
const isPiece = (value: unknown): value is TimePiece => timePieces.some((piece) => piece === value)

export const timeLayout: FieldReader<TimeLayout> = (value) => {
  if (typeof value === 'string' && isLayout(value)) return value
  if (!Array.isArray(value) || value.length === 0)
    throw new FieldProblem(
      `must be ${quoted(layoutNames)}, or a list of pieces such as [day, month, year, hour, minute]`,
    )
  if (value.length > timePieces.length) throw new FieldProblem(`may have ${timePieces.length} pieces`)
  return value.map((piece: unknown, index) => {
    if (!isPiece(piece)) throw new FieldProblem(`must be pieces out of ${timePieces.join(', ')}`, [index])
    return piece
  })
}

const severity: FieldReader<Severity | null> = (value) => {
  const known = severities.find((each) => each === value)
  if (known === undefined && value !== null) throw new FieldProblem(`must be ${severities.join(', ')} or null`)
  return known ?? null
}

/** Reads a value within another; its problem is told with where it was. */
const within = <Value>(key: string | number, read: () => Value): Value => {
  try {
    return read()
  } catch (error) {
    throw error instanceof FieldProblem ? new FieldProblem(error.message, [key, ...error.path]) : error
  }
}

export const levels: FieldReader<ReadonlyMap<string, Severity | null>> = (value) => {
  if (!isMapping(value) || Object.keys(value).length > maxListed)
    throw new FieldProblem(`must be words and what they mean, such as {OOPS: ERROR}, at most ${maxListed}`)
  return new Map(
    Object.entries(value).map(([word, given]) => [word.trim().toLowerCase(), within(word, () => severity(given))]),
  )
}

/** One text or a list of them. */
export const paths: FieldReader<readonly string[]> = (value) => {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > maxListed) throw new FieldProblem(`may have ${maxListed} keys`)
  return list.map((path, index) => within(index, () => text(path)))
}

const fields: FieldReader<Record<string, string>> = (value) => {
  if (!isMapping(value)) throw new FieldProblem('must be names and texts')
  return Object.fromEntries(
    Object.entries(value).map(([key, given]) => [
      key,
      within(key, () => text(typeof given === 'number' ? String(given) : given)),
    ]),
  )
}

const isoTime: FieldReader<string | null> = (value) => {
  if (value === null) return null
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time)) throw new FieldProblem('must be a time such as 2024-05-01T10:20:30.000Z, or null')
  return new Date(time).toISOString()
}

const sampleKeys = ['line', 'time', 'severity', 'message', 'fields']

const sample: FieldReader<Sample> = (value) => {
  if (!isMapping(value)) throw new FieldProblem('must have a line, and what comes out of it')
  const unknown = Object.keys(value).find((key) => !sampleKeys.includes(key))
  if (unknown !== undefined) throw new FieldProblem(`has no key "${unknown}": there are ${quoted(sampleKeys)}`)
  const { line, time, severity: given, message, fields: named } = value
  return {
    line: within('line', () => text(line)),
    ...(time !== undefined && { time: within('time', () => isoTime(time)) }),
    ...(given !== undefined && { severity: within('severity', () => severity(given)) }),
    ...(message !== undefined && { message: within('message', () => text(message)) }),
    ...(named !== undefined && { fields: within('fields', () => fields(named)) }),
  }
}

export const samples: FieldReader<readonly Sample[]> = (value) => {
  if (!Array.isArray(value) || value.length === 0)
    throw new FieldProblem('must be a list of at least one line with what comes out of it')
  if (value.length > maxSamples) throw new FieldProblem(`may be ${maxSamples}`)
  return value.map((given, index) => within(index, () => sample(given)))
}
