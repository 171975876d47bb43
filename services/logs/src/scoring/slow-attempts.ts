import { addressesInName } from './address-in-name.ts'
import { createAttemptCounter } from './attempts.ts'
import type { WholeFinding } from './finding.ts'
import type { Happening } from './happenings.ts'
import { sentenceOf } from './watch-rates.ts'

/**
 * Attempts that are made slowly so that no window of time holds many. Each failure adds one to a count that is halved each day; a sign-in
 * that works takes back what its account had: who mistypes a password has one.
 */
type SlowRule = {
  label: string
  by: 'address' | 'user'
  /** Each value of it counts once. */
  distinct?: 'user' | 'address'
  /** The count from which on it is told of, and the score there; it grows to `maxScore`. */
  threshold: number
  score: number
  sentence: string
}

const halfLifeMilliseconds = 24 * 3_600_000
const maxScore = 0.9
/** Of what lies further back, less than a tenth is left. */
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

/** Addresses and accounts that are watched at once, the longest unseen are forgotten; and attempts that are kept of one. */
const maxWatched = 20_000
const maxKept = 500
const maxAlso = 100

type Attempt = Happening & { time: number }
/** Who failed, or at what account. */
type Watched = { by: SlowRule['by']; subject: string; attempts: Attempt[] }
/** How many attempts a line adds: none, where it says in other words what was said before. */
type Counted = Attempt & { attempts: number }

const failures: ReadonlySet<string> = new Set(['failed_sign_in', 'unknown_user', 'broken_off_sign_in'])

/** Takes twice as many as are kept before the oldest go, many at a time: of an account that everybody tries one comes with each line. */
const keepIn = <Item>(kept: Item[], item: Item): void => {
  kept.push(item)
  if (kept.length === maxKept * 2) kept.splice(0, maxKept)
}
const keptOf = <Item>(kept: readonly Item[]): Item[] => kept.slice(-maxKept)

/** When the count of attempts, in the order of time, first reached the threshold, and what it came to at the most. */
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
  /** Takes happenings in any order. */
  add: (happening: Happening) => void
  /** Addresses and accounts that failed from a moment on, those that did most often first. */
  suspects: (since: number) => { by: SlowRule['by']; subject: string }[]
  findings: () => WholeFinding[]
}

export const createSlowAttempts = (): SlowAttempts => {
  const watched = new Map<string, Watched>()
  /** By account: when it signed in. */
  const signedIn = new Map<string, number[]>()

  const keep = (by: SlowRule['by'], subject: string, attempt: Attempt) => {
    const key = `${by}\0${subject}`
    const known = watched.get(key) ?? { by, subject, attempts: [] }
    watched.delete(key)
    watched.set(key, known)
    if (watched.size > maxWatched) {
      const [oldest] = watched.keys()
      if (oldest !== undefined) watched.delete(oldest)
    }
    keepIn(known.attempts, attempt)
  }
  /** An account that could sign in later takes back its failures before. */
  const standing = (attempts: readonly Attempt[]) =>
    attempts.filter(({ user, time }) => {
      const times = user === null ? undefined : signedIn.get(user)
      return !times?.some((moment) => moment >= time && moment - time <= halfLifeMilliseconds)
    })
  /** The address that a name has in it, if that failed here, too: sshd tells of one attempt by the address and by the name. */
  const machineOf = (address: string): string =>
    addressesInName(address).find((one) => watched.has(`address\0${one}`)) ?? address
  /** What is watched, with what a machine did under its name beside what it did under its address. */
  const byMachine = (): Watched[] => {
    const machines = new Map<string, Watched>()
    for (const { by, subject, attempts } of watched.values()) {
      const machine = by === 'address' ? machineOf(subject) : subject
      const key = `${by}\0${machine}`
      const known = machines.get(key) ?? { by, subject: machine, attempts: [] }
      machines.set(key, known)
      for (const attempt of keptOf(attempts))
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
    add: (happening) => {
      const { kind, entry, address, user } = happening
      if (kind === 'sign_in' && user !== null) {
        const times = signedIn.get(user) ?? []
        if (signedIn.size >= maxWatched) return
        signedIn.set(user, times)
        keepIn(times, entry.effectiveTime)
        return
      }
      if (!failures.has(kind)) return
      const attempt = { ...happening, time: entry.effectiveTime }
      if (address !== null) keep('address', address, attempt)
      if (user !== null) keep('user', user, attempt)
    },
    suspects: (since) =>
      [...watched.values()]
        .map(({ by, subject, attempts }) => ({
          by,
          subject,
          recent: keptOf(attempts).filter(({ time }) => time >= since).length,
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
