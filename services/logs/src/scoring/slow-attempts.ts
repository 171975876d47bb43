import { addressesInName } from './address-in-name.ts'
import { createAttemptCounter } from './attempts.ts'
import type { WholeFinding } from './finding.ts'
import type { SecurityEvent } from './security-events.ts'
import { sentenceOf } from './watch-rates.ts'

/**
 * Detects attempts that are too slow for any time window. Each failure adds one to a count that halves each day. A successful sign-in
 * subtracts the failures of its account: a user who mistypes a password signs in soon after.
 */
type SlowRule = {
  label: string
  by: 'address' | 'user'
  /** If set, each distinct value counts once. */
  distinct?: 'user' | 'address'
  /** The count from which on a finding is reported, and its score at that count; the score grows to `maxScore`. */
  threshold: number
  score: number
  sentence: string
}

const halfLifeMilliseconds = 24 * 3_600_000
const maxScore = 0.9
/** After this time, less than a tenth of a failure's weight is left. */
export const slowLookBack = 3.5 * halfLifeMilliseconds

const slowRules: readonly SlowRule[] = [
  {
    label: 'slow_user_enumeration',
    by: 'address',
    distinct: 'user',
    threshold: 3.5,
    score: 0.7,
    sentence: '{who} tried {count} different user names within {span}.',
  },
  {
    label: 'slow_brute_force',
    by: 'address',
    threshold: 4.5,
    score: 0.6,
    sentence: '{count} failed sign-ins from {who} within {span}, and none of those accounts signed in between.',
  },
  {
    label: 'slow_distributed_brute_force',
    by: 'user',
    distinct: 'address',
    threshold: 4.5,
    score: 0.65,
    sentence: '{count} addresses tried to sign in as {who} within {span}, and none could.',
  },
]

/** Addresses and accounts that are watched at once (beyond that, the least recently seen is evicted), and attempts that are stored per subject. */
const maxWatched = 20_000
const maxStored = 500
const maxAlso = 100

type Attempt = SecurityEvent & { time: number }
/** A subject: an address that failed to sign in, or an account at which sign-ins failed. */
type Watched = { by: SlowRule['by']; subject: string; attempts: Attempt[] }
/** An attempt with the number that its line adds: 0 if the line repeats an attempt in another wording. */
type Counted = Attempt & { attempts: number }

const failures: ReadonlySet<string> = new Set(['failed_sign_in', 'unknown_user', 'broken_off_sign_in'])

/**
 * Appends an item. The list may grow to twice the maximum before its older half is removed: removing one item per line would be slow for an account
 * under attack.
 */
const append = <Item>(items: Item[], item: Item): void => {
  items.push(item)
  if (items.length === maxStored * 2) items.splice(0, maxStored)
}
const newestOf = <Item>(items: readonly Item[]): Item[] => items.slice(-maxStored)

/** The index of the attempt with which the count first reaches the threshold, and the maximum of the count. Attempts are in time order. */
const climb = (attempts: readonly Counted[], { distinct, threshold }: SlowRule) => {
  const seen = new Set<string>()
  let weight = 0
  let before = Number.NEGATIVE_INFINITY
  let max = 0
  let reached: number | undefined
  for (const [index, attempt] of attempts.entries()) {
    weight *= 0.5 ** ((attempt.time - before) / halfLifeMilliseconds)
    before = attempt.time
    const value = distinct ? attempt[distinct] : undefined
    const isNew = value === undefined || (value !== null && !seen.has(value))
    if (value) seen.add(value)
    if (isNew) weight += distinct ? 1 : Math.min(attempt.attempts, threshold)
    max = Math.max(max, weight)
    if (reached === undefined && weight >= threshold) reached = index
  }
  return { reached, max }
}

export type SlowAttempts = {
  /** Takes events in any order. */
  add: (event: SecurityEvent) => void
  /** Addresses and accounts that failed since a time, those with the most failures first. */
  suspects: (since: number) => { by: SlowRule['by']; subject: string }[]
  findings: () => WholeFinding[]
}

export const createSlowAttempts = (): SlowAttempts => {
  const watched = new Map<string, Watched>()
  /** Times of successful sign-ins by account. */
  const signedIn = new Map<string, number[]>()

  const watch = (by: SlowRule['by'], subject: string, attempt: Attempt) => {
    const key = `${by}\0${subject}`
    const known = watched.get(key) ?? { by, subject, attempts: [] }
    watched.delete(key)
    watched.set(key, known)
    if (watched.size > maxWatched) {
      const [oldest] = watched.keys()
      if (oldest !== undefined) watched.delete(oldest)
    }
    append(known.attempts, attempt)
  }
  /** The failures that remain: those of an account that signed in successfully soon after are removed. */
  const standing = (attempts: readonly Attempt[]) =>
    attempts.filter(({ user, time }) => {
      const times = user === null ? undefined : signedIn.get(user)
      return !times?.some((moment) => moment >= time && moment - time <= halfLifeMilliseconds)
    })
  /** The address that a host name contains, if that address failed here, too: sshd logs one attempt by address and by name. */
  const machineOf = (address: string): string =>
    addressesInName(address).find((one) => watched.has(`address\0${one}`)) ?? address
  /** The watched subjects, with the attempts of a host's name merged into those of its address. */
  const byMachine = (): Watched[] => {
    const machines = new Map<string, Watched>()
    for (const { by, subject, attempts } of watched.values()) {
      const machine = by === 'address' ? machineOf(subject) : subject
      const key = `${by}\0${machine}`
      const known = machines.get(key) ?? { by, subject: machine, attempts: [] }
      machines.set(key, known)
      for (const attempt of newestOf(attempts))
        known.attempts.push(attempt.address === null ? attempt : { ...attempt, address: machineOf(attempt.address) })
    }
    return [...machines.values()]
  }
  const findingOf = (rule: SlowRule, subject: string, attempts: readonly Counted[]): WholeFinding | undefined => {
    const { reached, max } = climb(attempts, rule)
    const [first] = attempts
    const shown = reached === undefined ? undefined : attempts[reached]
    if (!shown || !first || reached === undefined) return undefined
    const { distinct } = rule
    const last = attempts.at(-1) ?? shown
    const count = distinct
      ? new Set(attempts.map((attempt) => attempt[distinct]).filter(Boolean)).size
      : attempts.reduce((sum, one) => sum + one.attempts, 0)
    return {
      scorer: 'cybersec',
      label: rule.label,
      score: rule.score + (maxScore - rule.score) * (1 - Math.exp((rule.threshold - max) / 5)),
      severity: 'ERROR',
      subject,
      reason: sentenceOf(rule.sentence, {
        count,
        who: subject,
        milliseconds: last.time - first.time,
        entries: attempts.length,
      }),
      entry: shown.entry,
      also: attempts
        .filter(({ entry }) => entry !== shown.entry)
        .slice(-maxAlso)
        .map(({ entry }) => entry),
      count: attempts.length,
      times: { first: first.time, last: last.time },
    }
  }
  return {
    add: (event) => {
      const { kind, entry, address, user } = event
      if (kind === 'sign_in' && user !== null) {
        const times = signedIn.get(user) ?? []
        if (signedIn.size >= maxWatched) return
        signedIn.set(user, times)
        append(times, entry.effectiveTime)
        return
      }
      if (!failures.has(kind)) return
      const attempt = { ...event, time: entry.effectiveTime }
      if (address !== null) watch('address', address, attempt)
      if (user !== null) watch('user', user, attempt)
    },
    suspects: (since) =>
      [...watched.values()]
        .map(({ by, subject, attempts }) => ({
          by,
          subject,
          recent: newestOf(attempts).filter(({ time }) => time >= since).length,
        }))
        .filter(({ recent }) => recent > 0)
        .toSorted((a, b) => b.recent - a.recent),
    findings: () =>
      byMachine().flatMap(({ by, subject, attempts }) => {
        const attemptsOf = createAttemptCounter()
        const ordered = standing(attempts)
          .toSorted((a, b) => a.time - b.time)
          .map((attempt) => ({ ...attempt, attempts: attemptsOf(attempt) }))
        return slowRules.flatMap((rule) => (rule.by === by ? (findingOf(rule, subject, ordered) ?? []) : []))
      }),
  }
}
