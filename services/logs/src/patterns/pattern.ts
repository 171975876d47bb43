import type { Severity } from '../entries/severity-code.ts'
import { type LinearExpression, matchesLinearly } from './linear-expression.ts'

/** What patterns are about; the empty domain is for what is about none of these. */
export const domains = [
  'service_health',
  'networking',
  'auth',
  'storage',
  'memory',
  'kernel',
  'power',
  'web_proxy',
  'media',
  'gpu',
] as const
export type Domain = (typeof domains)[number]

/**
 * Something worth finding in a log. A text is only matched when it has one of `words` as a whole word (lower case), so every match of
 * `matcher` must contain one. `severity` is what the match means where the line itself names no level; null leaves it to the words.
 */
export type LogPattern = {
  tag: string
  domain: Domain
  severity: Severity | null
  description: string
  words: readonly string[]
  matcher: RegExp | LinearExpression
  /** A line that it matches, and one that looks alike and is not meant. */
  samples: { matches: string; passes: string }
}

/** Those that are built in are known to be quick; those of a user are matched by an engine that always is. */
export const isMatch = ({ matcher }: Pick<LogPattern, 'matcher'>, text: string): boolean =>
  matcher instanceof RegExp ? matcher.test(text) : matchesLinearly(matcher, text)

/** A pattern as the library has it: words parted by spaces, then the line that it matches and the one that looks alike. */
export type PatternRow = readonly [
  tag: string,
  severity: Severity | null,
  description: string,
  words: string,
  matcher: RegExp,
  matches: string,
  passes: string,
]

export const patternOfRow = (
  domain: Domain,
  [tag, severity, description, words, matcher, matches, passes]: PatternRow,
): LogPattern => ({
  tag,
  domain,
  severity,
  description,
  words: words.split(' '),
  matcher,
  samples: { matches, passes },
})
