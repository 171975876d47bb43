import type { Severity } from '../entries/severity-code.ts'
import type { Actors } from './actors.ts'
import type { SecurityEvent, SecurityEventKind } from './security-events.ts'

/**
 * A number of events of some kinds with the same actor or source within a time. If `distinct` is set, different values of it are counted
 * instead of events.
 */
export type RateRule = {
  label: string
  severity: Severity
  score: number
  kinds: readonly SecurityEventKind[]
  /** The property that the events share besides their source; events without it are ignored. `source` counts all of a source. */
  by: keyof Actors | 'source'
  distinct?: 'user' | 'address' | 'object' | 'agent' | 'network'
  count: number
  seconds: number
  /** `{count}`, `{who}` and `{span}` are replaced. */
  sentence: string
}

const signInFailures: readonly SecurityEventKind[] = ['failed_sign_in', 'unknown_user']

/** Thresholds as in the default configurations of intrusion prevention tools: a person who mistypes a password fails less than five times. */
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
    label: 'brute_force',
    severity: 'ERROR',
    score: 0.8,
    kinds: signInFailures,
    by: 'address',
    // A person needs longer to type four passwords.
    count: 4,
    seconds: 4,
    sentence: '{count} failed sign-ins from {who} within {span}, some faster than a person types.',
  },
  {
    label: 'brute_force',
    severity: 'ERROR',
    score: 0.8,
    kinds: ['broken_off_sign_in'],
    by: 'address',
    count: 5,
    seconds: 300,
    sentence: '{count} sign-ins that {who} broke off within {span}.',
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
    label: 'default_account_probe',
    severity: 'WARN',
    score: 0.8,
    kinds: ['default_account'],
    by: 'address',
    distinct: 'user',
    count: 3,
    seconds: 3_600,
    sentence: '{who} tried {count} accounts that systems come with within {span}.',
  },
  {
    label: 'default_account_probe',
    severity: 'WARN',
    score: 0.7,
    kinds: ['default_account'],
    by: 'source',
    distinct: 'user',
    count: 5,
    seconds: 3_600,
    sentence: '{count} accounts that systems come with were tried at {who} within {span}.',
  },
  {
    label: 'sign_in_from_two_places',
    severity: 'WARN',
    score: 0.55,
    kinds: ['sign_in'],
    by: 'user',
    distinct: 'network',
    count: 2,
    seconds: 300,
    sentence: '{who} signed in from {count} public networks within {span}.',
  },
  {
    label: 'web_brute_force',
    severity: 'WARN',
    score: 0.65,
    kinds: ['sign_in_request'],
    by: 'address',
    count: 6,
    seconds: 60,
    sentence: '{who} sent a form to sign in {count} times within {span}.',
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
    sentence: '{who} requested {count} different pages that do not exist within {span}.',
  },
  {
    label: 'admin_probe',
    severity: 'WARN',
    score: 0.8,
    kinds: ['sought_place'],
    by: 'address',
    distinct: 'object',
    count: 3,
    seconds: 600,
    sentence: '{who} requested {count} paths of consoles that do not exist within {span}.',
  },
  {
    label: 'agent_switching',
    severity: 'WARN',
    score: 0.65,
    kinds: ['missing_page', 'refused_request'],
    by: 'address',
    distinct: 'agent',
    count: 6,
    seconds: 60,
    sentence: '{who} called itself {count} different programs in requests that failed within {span}.',
  },
  {
    label: 'request_flood',
    severity: 'WARN',
    score: 0.65,
    kinds: ['limited_request'],
    by: 'address',
    count: 6,
    seconds: 60,
    sentence: '{count} requests of {who} were over the limit within {span}.',
  },
  {
    label: 'name_server_probe',
    severity: 'WARN',
    score: 0.65,
    kinds: ['refused_query'],
    by: 'address',
    count: 5,
    seconds: 60,
    sentence: '{count} queries of {who} were refused within {span}.',
  },
  {
    label: 'spam_attempts',
    severity: 'WARN',
    score: 0.6,
    kinds: ['refused_mail'],
    by: 'address',
    count: 4,
    seconds: 600,
    sentence: '{count} times mail from {who} was refused within {span}.',
  },
  {
    label: 'card_testing',
    severity: 'ERROR',
    score: 0.75,
    kinds: ['failed_payment'],
    by: 'address',
    count: 4,
    seconds: 60,
    sentence: '{count} payments from {who} failed within {span}.',
  },
  {
    label: 'card_testing',
    severity: 'ERROR',
    score: 0.7,
    kinds: ['failed_payment'],
    by: 'source',
    distinct: 'address',
    count: 10,
    seconds: 60,
    sentence: 'Payments of {count} addresses failed at {who} within {span}.',
  },
  {
    label: 'file_encryption',
    severity: 'CRITICAL',
    score: 0.9,
    kinds: ['encrypted_file'],
    by: 'address',
    distinct: 'object',
    count: 10,
    seconds: 60,
    sentence: '{who} renamed {count} files to an extension that ransomware uses within {span}.',
  },
  {
    label: 'file_encryption',
    severity: 'CRITICAL',
    score: 0.85,
    kinds: ['encrypted_file'],
    by: 'source',
    count: 10,
    seconds: 60,
    sentence: '{count} files of {who} were renamed to an extension that ransomware uses within {span}.',
  },
  {
    label: 'file_encryption',
    severity: 'WARN',
    score: 0.6,
    kinds: ['appended_extension'],
    by: 'address',
    distinct: 'object',
    // A user may rename many files at once, but rarely of so many types.
    count: 6,
    seconds: 60,
    sentence: '{who} appended an extension to files of {count} types within {span}.',
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

/** A successful sign-in after this many failures from the same address may be a guessed password. */
export const guessedRule = {
  label: 'sign_in_after_failures',
  severity: 'CRITICAL',
  score: 0.95,
  failures: 5,
  seconds: 3_600,
  sentence: '{who} signed in after {count} failures within {span}.',
} as const

/** The longest time span of a rule, in milliseconds. */
export const longestLookBack = Math.max(guessedRule.seconds, ...rateRules.map(({ seconds }) => seconds)) * 1000

export const subjectOf = (
  rule: Pick<RateRule, 'by' | 'distinct'>,
  { address, user, entry }: SecurityEvent,
): string | null => {
  // Events with a known address are reported by the rules for addresses.
  if (rule.by === 'source') return address === null || rule.distinct ? entry.origin.sourceId : null
  return rule.by === 'address' ? address : user
}
