import type { Severity } from '../entries/severity-code.ts'

/**
 * A sign of an attack in a single line. A text is only matched if it contains one of `words` as a whole word (lower case). The matcher receives the
 * text in lower case, as it is and percent-decoded up to twice. Each word brings every line that contains it, so a word that all matches have
 * together with a rarer one is left out. After an encoded blank or quote, a word is preceded by digits: `%20or` contains the word `20or`.
 */
export type AttackSign = {
  label: string
  severity: Severity
  /** 0 to 1: the probability that such a line is an attack and not a harmless line that resembles one. */
  score: number
  description: string
  words: readonly string[]
  matcher: RegExp
  /** Lines of our own that the matcher matches, and a similar line that it must not match. */
  samples: { matches: readonly string[]; passes: string }
}

export type AttackSignRow = readonly [
  label: string,
  severity: Severity,
  score: number,
  description: string,
  words: string,
  matcher: RegExp,
  matches: string | readonly string[],
  passes: string,
]

export const signOf = ([
  label,
  severity,
  score,
  description,
  words,
  matcher,
  matches,
  passes,
]: AttackSignRow): AttackSign => ({
  label,
  severity,
  score,
  description,
  words: words.split(' '),
  matcher,
  samples: { matches: typeof matches === 'string' ? [matches] : matches, passes },
})
