import { firstCharactersOf, mayStart } from './first-character.ts'
import type { PatternFormat } from './format.ts'
import type { Description } from './header.ts'
import { type Matcher, matcherOf } from './matcher.ts'
import { headOf } from './pattern-reader.ts'
import type { Characters } from './pattern-steps.ts'

/** What a pattern's groups are, found once: read by their places, since the object of a match's groups is dear to make for each line. */
type Groups = {
  matcher: Matcher
  first: Characters
  /** Places of what is neither time nor message, by name in the order of the pattern. */
  fields: readonly (readonly [name: string, place: number])[]
  time: number
  message: number
}

/** The names of a pattern's groups in their order; all groups of formats have one, each its own. */
export const groupNames = (pattern: RegExp): readonly string[] =>
  // With an alternative that is empty it matches anything, and tells its groups.
  Object.keys(new RegExp(`${pattern.source}|`, pattern.flags).exec('')?.groups ?? {})

const createGroups = (format: PatternFormat): Groups => {
  const { pattern } = format
  const names = groupNames(pattern)
  return {
    matcher: matcherOf(format, pattern),
    first: firstCharactersOf(pattern),
    fields: names.flatMap((name, index) => (name === 'time' || name === 'message' ? [] : [[name, index + 1] as const])),
    time: names.indexOf('time') + 1,
    message: names.indexOf('message') + 1,
  }
}

const known = new WeakMap<PatternFormat, Groups>()

const groupsOf = (format: PatternFormat): Groups => {
  const found = known.get(format)
  if (found) return found
  const made = createGroups(format)
  known.set(format, made)
  return made
}

/** A message that goes up to the end of the head goes on up to the end of the line. */
const completed = (message: string, head: string, line: string): string =>
  head.length < line.length && head.endsWith(message) ? message + line.slice(head.length) : message

const asWritten = (text: string): string => text

/** Named values of a line, those that say nothing left out. */
const pairsOf = (pairs: RegExp, line: string, unescaped: (text: string) => string): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const [, name = '', value = ''] of line.matchAll(pairs))
    if (value.trim() !== '' && value !== '-') found[name] ??= unescaped(value.trim())
  return found
}

/** A line of which much is in pairs: they are fields beside those of its groups, and the message where it has none. */
const withPairs = (described: Description, format: PatternFormat, hasMessage: boolean, line: string): Description => {
  const { pairs, unescaped = asWritten, unescapedPairs = unescaped } = format
  if (!pairs) return described
  const found = pairsOf(pairs, line, unescapedPairs)
  const fields = { ...found, ...described.fields }
  if (hasMessage) return { ...described, message: unescaped(described.message), fields }
  const written = Object.entries(found).map(([name, value]) => `${name}=${value}`)
  return { ...described, message: written.length > 0 ? written.join(' ') : described.message, fields }
}

/** Message, fields and written time of a line; undefined where the pattern does not fit it. */
export const describePattern = (format: PatternFormat, firstLine: string): Description | undefined => {
  const { matcher, first, fields: places, time, message } = groupsOf(format)
  if (!mayStart(first, firstLine)) return undefined
  const head = format.wraps === true ? firstLine : headOf(firstLine)
  const match = matcher.exec(head)
  if (!match) return undefined
  let fields: Record<string, string> | null = null
  for (const [name, place] of places) {
    const value = match[place]
    if (value === undefined || value === '') continue
    fields ??= {}
    fields[name] = value.trim()
  }
  const found = message === 0 ? undefined : match[message]
  const described = {
    message: found === undefined ? firstLine : completed(found, head, firstLine),
    fields,
    timestampRaw: (time === 0 ? undefined : match[time]) ?? null,
  }
  return withPairs(described, format, found !== undefined, firstLine)
}
