import { messageOf } from '@trellis/kit/errors'
import { parse as parseYaml } from 'yaml'
import { type Severity, severities } from '../entries/severity-code.ts'
import { leafOf } from '../search/query.ts'
import { isUnspaced, tokenize, wordsOf } from '../segments/tokens.ts'
import { problemOfExpression } from './linear-expression.ts'
import { type Domain, domains, isMatch, type LogPattern } from './pattern.ts'

/** A pattern that is built in, as a user wants it: with another severity, or not at all. */
export type PatternOverride = { tag: string; severity?: Severity | null; off: boolean }
/** What a file of a user says, and what of it cannot be used. */
export type UserPatterns = { patterns: LogPattern[]; overrides: PatternOverride[]; problems: string[] }

const tagForm = /^[a-z][a-z0-9_]{0,63}$/
const maxWords = 32
const maxExpression = 1_000
const maxInFile = 200
const patternKeys = ['tag', 'domain', 'severity', 'description', 'words', 'expression', 'samples']
const overrideKeys = ['tag', 'severity', 'off']

type Given = Record<string, unknown>
const isGiven = (value: unknown): value is Given => typeof value === 'object' && value !== null && !Array.isArray(value)
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).map(String)
const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** What is wrong is thrown as text and told with the place of what is wrong. */
class Faulty extends Error {}
const faulty = (problem: string): never => {
  throw new Faulty(problem)
}

const checkKeys = (given: Given, known: readonly string[]) => {
  const unknown = Object.keys(given).find((key) => !known.includes(key))
  if (unknown !== undefined) faulty(`"${unknown}" is not known; there are ${known.join(', ')}`)
}
const readSeverity = (value: unknown): Severity | null => {
  if (value === null || value === undefined) return null
  return (
    severities.find((known) => known === value) ?? faulty(`severity is CRITICAL, ERROR, WARN or null, not "${value}"`)
  )
}
const readDomain = (value: unknown): Domain =>
  domains.find((known) => known === value) ?? faulty(`domain is one of ${domains.join(', ')}, not "${value}"`)
const readTag = (value: unknown): string =>
  typeof value === 'string' && tagForm.test(value)
    ? value
    : faulty('tag begins with a small letter and has small letters, digits and _ (64 at most)')

/** The words that a text must have one of, as they were written. */
const readWords = (value: unknown): string[] => {
  const words = textsOf(value)
  if (words.length === 0 || words.length > maxWords)
    faulty(`words has 1 to ${maxWords} words; a text is looked at when it has one of them`)
  return words
}

/** A word without what is around it, such as a colon. */
const bareOf = (word: string): string => {
  const tokens = tokenize(word)
  return word.slice(tokens.at(0)?.start, tokens.at(-1)?.end)
}

/** What the index listens for where a text may have a word: of a script without blanks, the first two characters. */
const listenedFor = (word: string): string => {
  const { words, isPrefix } = leafOf(word, false)
  const [first] = words
  if (first === undefined || isPrefix || (words.length > 1 && !isUnspaced(bareOf(word))))
    return faulty(`"${word}" in words is not one word of letters and digits`)
  return first
}

/** A word where it stands in a text by itself; one of a script without blanks may stand anywhere. */
const standing = (word: string): string => {
  const bare = bareOf(word)
  return isUnspaced(bare) ? bare : `(?<![\\p{L}\\p{N}])${escaped(bare)}(?![\\p{L}\\p{N}])`
}

const readExpression = (value: unknown, words: readonly string[]): LogPattern['matcher'] => {
  if (value === undefined || value === null) return new RegExp(words.map(standing).join('|'), 'iu')
  const source = String(value)
  if (source.length > maxExpression) faulty(`expression is longer than ${maxExpression} characters`)
  const problem = problemOfExpression(source)
  return problem === undefined ? { kind: 'linear', source } : faulty(`expression ${problem}`)
}

const checkSamples = (
  { words, matcher }: Pick<LogPattern, 'words' | 'matcher'>,
  matches: readonly string[],
  passes: readonly string[],
) => {
  if (matches.length === 0) faulty('samples.matches has a line that the pattern matches')
  const wordless = matches.find((line) => !wordsOf(line).some((word) => words.includes(word)))
  if (wordless !== undefined) faulty(`the sample "${wordless}" has none of the words, so it would never be looked at`)
  const missed = matches.find((line) => !isMatch({ matcher }, line))
  if (missed !== undefined) faulty(`the sample "${missed}" is not matched`)
  const taken = passes.find((line) => wordsOf(line).some((word) => words.includes(word)) && isMatch({ matcher }, line))
  if (taken !== undefined) faulty(`the sample "${taken}" is matched, though it is among those that are not meant`)
}

const readPattern = (given: unknown): LogPattern => {
  if (!isGiven(given)) return faulty('a pattern has tag, domain, words and samples')
  checkKeys(given, patternKeys)
  const written = readWords(given.words)
  const words = written.map(listenedFor)
  const matcher = readExpression(given.expression, written)
  const samples = isGiven(given.samples) ? given.samples : faulty('samples has matches and passes')
  const [matches, passes] = [textsOf(samples.matches), textsOf(samples.passes)]
  checkSamples({ words, matcher }, matches, passes)
  return {
    tag: readTag(given.tag),
    domain: readDomain(given.domain),
    severity: readSeverity(given.severity),
    description: String(given.description ?? ''),
    words,
    matcher,
    samples: { matches: matches[0] ?? '', passes: passes[0] ?? '' },
  }
}

const readOverride = (given: unknown): PatternOverride => {
  if (!isGiven(given)) return faulty('an override has tag, and severity or off')
  checkKeys(given, overrideKeys)
  const { tag, severity, off } = given
  if (severity === undefined && off !== true) faulty('an override has a severity, or off: true')
  return { tag: readTag(tag), off: off === true, ...(severity !== undefined && { severity: readSeverity(severity) }) }
}

/** Reads all that can be read of a list; what cannot is told with its place. */
const readAll = <Item>(list: unknown, name: string, read: (given: unknown) => Item, problems: string[]): Item[] => {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) {
    problems.push(`${name} must be a list`)
    return []
  }
  if (list.length > maxInFile) problems.push(`${name} has more than ${maxInFile}; the rest is not read`)
  return list.slice(0, maxInFile).flatMap((given: unknown, index) => {
    try {
      return [read(given)]
    } catch (error) {
      if (!(error instanceof Faulty)) throw error
      const tag = isGiven(given) && typeof given.tag === 'string' ? ` (${given.tag})` : ''
      problems.push(`${name}[${index}]${tag}: ${error.message}`)
      return []
    }
  })
}

/** Reads a file of patterns and overrides: YAML, and so JSON. What is faulty is left out and told; the rest counts. */
export const readUserPatterns = (content: string): UserPatterns => {
  const problems: string[] = []
  const given = parse(content, problems)
  if (given === undefined) return { patterns: [], overrides: [], problems }
  const unknown = Object.keys(given).find((key) => key !== 'patterns' && key !== 'overrides')
  if (unknown !== undefined) problems.push(`"${unknown}" is not known; a file has patterns and overrides`)
  return {
    patterns: readAll(given.patterns, 'patterns', readPattern, problems),
    overrides: readAll(given.overrides, 'overrides', readOverride, problems),
    problems,
  }
}

const parse = (content: string, problems: string[]): Given | undefined => {
  try {
    const given: unknown = parseYaml(content, { maxAliasCount: 20 })
    if (isGiven(given)) return given
    problems.push('a file has patterns, or overrides, or both')
  } catch (error) {
    problems.push(messageOf(error))
  }
  return undefined
}
