import type { Severity } from '../entries/severity-code.ts'

/**
 * What gives an attack away in one line. A text is only matched when it has one of `words` as a whole word (lower case). The matcher sees the
 * text as it is and with its percent-encoding undone, twice at most, in lower case both. Each word brings all lines that have it: one that
 * every match has beside a rarer one is left out, and what stands behind an encoded blank or quote has digits before it (`%20or` is the
 * word `20or`).
 */
export type AttackSign = {
  label: string
  severity: Severity
  /** 0 to 1: how often such a line is an attack and not something that looks like one. */
  score: number
  description: string
  words: readonly string[]
  matcher: RegExp
  /** Lines of ours that it matches, and one that looks alike and is not meant. */
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
