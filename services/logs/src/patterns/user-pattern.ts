import { messageOf } from '@trellis/kit/errors'
import { parse as parseYaml } from 'yaml'
import { type Severity, severities } from '../entries/severity-code.ts'
import { leafOf } from '../search/query.ts'
import { isUnspaced, tokenize, wordsOf } from '../segments/tokens.ts'
import { problemOfExpression } from './linear-expression.ts'
import { type Domain, domains, isMatch, type LogPattern } from './pattern.ts'

/** An override of a built-in pattern: another severity, or off. */
export type PatternOverride = { tag: string; severity?: Severity | null; off: boolean }
/** The contents of a user's file, and its problems. */
export type UserPatterns = { patterns: LogPattern[]; overrides: PatternOverride[]; problems: string[] }

const tagForm = /^[a-z][a-z0-9_]{0,63}$/
const maxWords = 32
const maxExpression = 1_000
const maxInFile = 200
const patternKeys = ['tag', 'domain', 'severity', 'description', 'words', 'expression', 'samples']
const overrideKeys = ['tag', 'severity', 'off']

type Fields = Record<string, unknown>
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).map(String)
const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A problem of the input; the message is reported with its location. */
class InvalidPattern extends Error {}
const fail = (problem: string): never => {
  throw new InvalidPattern(problem)
}

const checkKeys = (value: Fields, known: readonly string[]) => {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) fail(`"${unknown}" is not known; there are ${known.join(', ')}`)
}
const readSeverity = (value: unknown): Severity | null => {
  if (value === null || value === undefined) return null
  return (
    severities.find((known) => known === value) ??
    fail(`severity must be CRITICAL, ERROR, WARN or null, not "${value}"`)
  )
}
const readDomain = (value: unknown): Domain =>
  domains.find((known) => known === value) ?? fail(`domain must be one of ${domains.join(', ')}, not "${value}"`)
const readTag = (value: unknown): string =>
  typeof value === 'string' && tagForm.test(value)
    ? value
    : fail('tag must begin with a lower-case letter and have only lower-case letters, digits and _ (64 at most)')

/** The words as written; a text must contain one of them. */
const readWords = (value: unknown): string[] => {
  const words = textsOf(value)
  if (words.length === 0 || words.length > maxWords)
    fail(`words must have 1 to ${maxWords} words; only texts with one of them are matched`)
  return words
}

/** A word without surrounding punctuation, such as a colon. */
const bareOf = (word: string): string => {
  const tokens = tokenize(word)
  return word.slice(tokens.at(0)?.start, tokens.at(-1)?.end)
}

/** The token in the index that may contain a word: for a script without spaces, the first two characters. */
const indexTokenOf = (word: string): string => {
  const { words, isPrefix } = leafOf(word, false)
  const [first] = words
  if (first === undefined || isPrefix || (words.length > 1 && !isUnspaced(bareOf(word))))
    return fail(`"${word}" in words is not one word of letters and digits`)
  return first
}

/** An expression for a whole word; one of a script without spaces matches anywhere. */
const wholeWord = (word: string): string => {
  const bare = bareOf(word)
  return isUnspaced(bare) ? bare : `(?<![\\p{L}\\p{N}])${escaped(bare)}(?![\\p{L}\\p{N}])`
}

const readExpression = (value: unknown, words: readonly string[]): LogPattern['matcher'] => {
  if (value === undefined || value === null) return new RegExp(words.map(wholeWord).join('|'), 'iu')
  const source = String(value)
  if (source.length > maxExpression) fail(`expression is longer than ${maxExpression} characters`)
  const problem = problemOfExpression(source)
  return problem === undefined ? { kind: 'linear', source } : fail(`expression ${problem}`)
}

const checkSamples = (
  { words, matcher }: Pick<LogPattern, 'words' | 'matcher'>,
  matches: readonly string[],
  passes: readonly string[],
) => {
  if (matches.length === 0) fail('samples.matches must have a line that the pattern matches')
  const wordless = matches.find((line) => !wordsOf(line).some((word) => words.includes(word)))
  if (wordless !== undefined) fail(`the sample "${wordless}" contains none of the words, so it would never be matched`)
  const missed = matches.find((line) => !isMatch({ matcher }, line))
  if (missed !== undefined) fail(`the sample "${missed}" does not match`)
  const matched = passes.find(
    (line) => wordsOf(line).some((word) => words.includes(word)) && isMatch({ matcher }, line),
  )
  if (matched !== undefined) fail(`the sample "${matched}" matches, although it is listed under passes`)
}

const readPattern = (value: unknown): LogPattern => {
  if (!isObject(value)) return fail('a pattern must have tag, domain, words and samples')
  checkKeys(value, patternKeys)
  const written = readWords(value.words)
  const words = written.map(indexTokenOf)
  const matcher = readExpression(value.expression, written)
  const samples = isObject(value.samples) ? value.samples : fail('samples must have matches and passes')
  const [matches, passes] = [textsOf(samples.matches), textsOf(samples.passes)]
  checkSamples({ words, matcher }, matches, passes)
  return {
    tag: readTag(value.tag),
    domain: readDomain(value.domain),
    severity: readSeverity(value.severity),
    description: String(value.description ?? ''),
    words,
    matcher,
    samples: { matches: matches[0] ?? '', passes: passes[0] ?? '' },
  }
}

const readOverride = (value: unknown): PatternOverride => {
  if (!isObject(value)) return fail('an override must have tag, and severity or off')
  checkKeys(value, overrideKeys)
  const { tag, severity, off } = value
  if (severity === undefined && off !== true) fail('an override needs a severity or off: true')
  return { tag: readTag(tag), off: off === true, ...(severity !== undefined && { severity: readSeverity(severity) }) }
}

/** Reads the valid items of a list; problems are reported with their location. */
const readAll = <Item>(list: unknown, name: string, read: (value: unknown) => Item, problems: string[]): Item[] => {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) {
    problems.push(`${name} must be a list`)
    return []
  }
  if (list.length > maxInFile) problems.push(`${name} has more than ${maxInFile}; the rest is not read`)
  return list.slice(0, maxInFile).flatMap((value: unknown, index) => {
    try {
      return [read(value)]
    } catch (error) {
      if (!(error instanceof InvalidPattern)) throw error
      const tag = isObject(value) && typeof value.tag === 'string' ? ` (${value.tag})` : ''
      problems.push(`${name}[${index}]${tag}: ${error.message}`)
      return []
    }
  })
}

/** Reads a file of patterns and overrides: YAML, and thus JSON. Invalid items are reported and omitted. */
export const readUserPatterns = (content: string): UserPatterns => {
  const problems: string[] = []
  const value = parse(content, problems)
  if (value === undefined) return { patterns: [], overrides: [], problems }
  const unknown = Object.keys(value).find((key) => key !== 'patterns' && key !== 'overrides')
  if (unknown !== undefined) problems.push(`"${unknown}" is not known; a file has patterns and overrides`)
  return {
    patterns: readAll(value.patterns, 'patterns', readPattern, problems),
    overrides: readAll(value.overrides, 'overrides', readOverride, problems),
    problems,
  }
}

const parse = (content: string, problems: string[]): Fields | undefined => {
  try {
    const value: unknown = parseYaml(content, { maxAliasCount: 20 })
    if (isObject(value)) return value
    problems.push('a file must have patterns, overrides, or both')
  } catch (error) {
    problems.push(messageOf(error))
  }
  return undefined
}
