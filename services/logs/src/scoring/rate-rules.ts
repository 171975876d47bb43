import type { Severity } from '../entries/severity-code.ts'
import type { Actors } from './actors.ts'
import type { Happening, HappeningKind } from './happenings.ts'

/**
 * So many happenings of some kinds, alike in one thing, within so long. Where `distinct` is told, so many different values of it are asked
 * for rather than so many happenings.
 */
export type RateRule = {
  label: string
  severity: Severity
  score: number
  kinds: readonly HappeningKind[]
  /** What the happenings have in common beside their source; those that do not tell it are left out. `source` takes all of a source. */
  by: keyof Actors | 'source'
  distinct?: 'user' | 'address' | 'object'
  count: number
  seconds: number
  /** `{count}`, `{who}` and `{span}` are put in. */
  sentence: string
}

const signInFailures: readonly HappeningKind[] = ['failed_sign_in', 'unknown_user']

/**
 * Numbers as intrusion prevention tools have them for a start: five failures are more than a person who forgot a password needs, and a program that
 * is slow on purpose still needs many.
 */
export const rateRules: readonly RateRule[] = [
  {
    label: 'brute_force',
    severity: 'ERROR',
    score: 0.9,
    kinds: signInFailures,
    by: 'address',
    count: 5,
    seconds: 300,
    sentence: '{count} failed sign-ins from {who} within {span}.',
  },
  {
    label: 'slow_brute_force',
    severity: 'ERROR',
    score: 0.8,
    kinds: signInFailures,
    by: 'address',
    count: 10,
    seconds: 6 * 3_600,
    sentence: '{count} failed sign-ins from {who} within {span}.',
  },
  {
    label: 'user_enumeration',
    severity: 'ERROR',
    score: 0.85,
    kinds: signInFailures,
    by: 'address',
    distinct: 'user',
    count: 4,
    seconds: 600,
    sentence: '{who} tried {count} different user names within {span}.',
  },
  {
    label: 'distributed_brute_force',
    severity: 'ERROR',
    score: 0.8,
    kinds: signInFailures,
    by: 'user',
    distinct: 'address',
    count: 5,
    seconds: 600,
    sentence: '{count} addresses tried to sign in as {who} within {span}.',
  },
  {
    label: 'sign_in_failures',
    severity: 'WARN',
    score: 0.65,
    kinds: signInFailures,
    by: 'source',
    count: 10,
    seconds: 60,
    sentence: '{count} failed sign-ins at {who} within {span}.',
  },
  {
    label: 'web_brute_force',
    severity: 'ERROR',
    score: 0.75,
    kinds: ['refused_request'],
    by: 'address',
    count: 6,
    seconds: 60,
    sentence: '{count} refused requests from {who} within {span}.',
  },
  {
    label: 'web_scan',
    severity: 'WARN',
    score: 0.8,
    kinds: ['missing_page', 'refused_request'],
    by: 'address',
    distinct: 'object',
    count: 10,
    seconds: 60,
    sentence: '{who} asked for {count} different pages that are not there within {span}.',
  },
  {
    label: 'port_scan',
    severity: 'WARN',
    score: 0.75,
    kinds: ['blocked_packet'],
    by: 'address',
    distinct: 'object',
    count: 10,
    seconds: 60,
    sentence: '{who} tried {count} different ports within {span}.',
  },
]

/** A sign-in that works after so many that did not, from the same address, may be the one that guessed right. */
export const guessedRule = {
  label: 'sign_in_after_failures',
  severity: 'CRITICAL',
  score: 0.95,
  failures: 5,
  seconds: 3_600,
  sentence: '{who} signed in after {count} failures within {span}.',
} as const

/** The longest that a rule looks back, in milliseconds. */
export const longestLookBack = Math.max(guessedRule.seconds, ...rateRules.map(({ seconds }) => seconds)) * 1000

export const subjectOf = (rule: Pick<RateRule, 'by'>, { address, user, entry }: Happening): string | null => {
  if (rule.by === 'source') return entry.origin.sourceId
  return rule.by === 'address' ? address : user
}
