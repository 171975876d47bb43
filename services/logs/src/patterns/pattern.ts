import type { Severity } from '../entries/severity-code.ts'
import { withoutDenials } from '../formats/severity-guess.ts'
import { type LinearExpression, matchesLinearly } from './linear-expression.ts'

/** Subjects of patterns; the empty domain is for all others. */
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
 * A condition worth finding in a log. A text is only matched if it contains one of `words` as a whole word (lower case), so that every match of
 * `matcher` must contain one. `severity` applies if the line names no level; null leaves the severity to the words.
 */
export type LogPattern = {
  tag: string
  domain: Domain
  severity: Severity | null
  description: string
  words: readonly string[]
  matcher: RegExp | LinearExpression
  /** A line that matches, and a similar line that must not. */
  samples: { matches: string; passes: string }
}

/**
 * Built-in patterns are tested to be fast, and do not match a denial such as "0 errors". Those of users are matched by an engine with linear
 * time, against the text as it is.
 */
export const isMatch = ({ matcher }: Pick<LogPattern, 'matcher'>, text: string): boolean =>
  matcher instanceof RegExp ? matcher.test(text) && matcher.test(withoutDenials(text)) : matchesLinearly(matcher, text)

/** A pattern of the library: words separated by spaces, then the matching line and the counterexample. */
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
