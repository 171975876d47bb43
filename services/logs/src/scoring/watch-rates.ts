import { counted } from '../counted.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { createAttemptCounter } from './attempts.ts'
import type { Finding } from './finding.ts'
import type { Happening } from './happenings.ts'
import { publicNetworkOf } from './public-network.ts'
import { guessedRule, type RateRule, rateRules, subjectOf } from './rate-rules.ts'

/** Takes happenings in the order of time and tells when they have become too many. */
export type RateWatch = {
  add: (happening: Happening) => void
  /** One for each time that somebody went on without a pause, with all that spoke for it. */
  findings: () => Finding[]
}

/** Those that are watched at once; of more, the longest unseen are forgotten. A flood of made-up addresses ends here. */
const mostWatched = 20_000
const mostInWindow = 1_000
/** Entries that carry a finding's score beside the one that shows it. */
const mostAlso = 100
/** Different values that are told apart in one finding: ports and names may be made up. */
const mostValues = 10_000

/** Rules about so short a time are about the pace of entries. */
const quickSeconds = 10
const leastPauseSeconds = 300

/** All that speaks for a finding, from the first to the last without a pause. */
type Episode = {
  rule: RateRule
  subject: string
  entry: StoredEntry
  also: StoredEntry[]
  entries: number
  attempts: number
  /** Those that the rule tells apart. */
  values: Set<string>
  times: { first: number; last: number }
}
type Counted = { happening: Happening; attempts: number }
type Watched = {
  window: Counted[]
  attemptsOf: ReturnType<typeof createAttemptCounter>
  episode: Episode | undefined
  lastTime: number
}

export const spanOf = (milliseconds: number): string => {
  const seconds = Math.max(1, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3_600)} hours`
}

type Told = { count: number; who: string; milliseconds: number; entries: number }

/** What a rule says of all that it counted. Where that is not as many as the entries that speak for it, how many those are, too. */
export const sentenceOf = (sentence: string, { count, who, milliseconds, entries }: Told): string => {
  const told = sentence
    .replace('{count}', String(count))
    .replace('{who}', () => who)
    .replace('{span}', spanOf(milliseconds))
  return count === entries ? told : told.replace(/\.$/, `, in ${counted(entries, 'entry', 'entries')}.`)
}

const distinctValueOf = (happening: Happening, distinct: NonNullable<RateRule['distinct']>): string | null => {
  if (distinct !== 'network') return happening[distinct]
  return happening.address === null ? null : publicNetworkOf(happening.address)
}

const attemptsIn = (window: readonly Counted[]): number => window.reduce((sum, { attempts }) => sum + attempts, 0)

const valuesIn = ({ distinct }: RateRule, window: readonly Counted[]): Set<string> =>
  new Set(distinct ? window.flatMap(({ happening }) => distinctValueOf(happening, distinct) ?? []) : [])
const countIn = (rule: RateRule, window: readonly Counted[]): number =>
  rule.distinct ? valuesIn(rule, window).size : attemptsIn(window)

const timeOf = ({ happening }: Counted): number => happening.entry.effectiveTime

/** Takes what is too old off the front, and what are too many. Happenings come in the order of time. */
const leaveBehind = (window: Counted[], since: number): void => {
  let old = Math.max(0, window.length - mostInWindow)
  for (let first = window[old]; first && timeOf(first) < since; first = window[old]) old++
  if (old > 0) window.splice(0, old)
}

const begin = (rule: RateRule, subject: string, window: readonly Counted[], { entry }: Happening): Episode => ({
  rule,
  subject,
  entry,
  also: window.slice(0, -1).map((earlier) => earlier.happening.entry),
  entries: window.length,
  attempts: attemptsIn(window),
  values: valuesIn(rule, window),
  times: { first: Math.min(entry.effectiveTime, ...window.slice(0, 1).map(timeOf)), last: entry.effectiveTime },
})

const goOn = (episode: Episode, { happening, attempts }: Counted): void => {
  const { rule, values, also, times } = episode
  const { entry } = happening
  const value = rule.distinct ? distinctValueOf(happening, rule.distinct) : null
  if (value !== null && values.size < mostValues) values.add(value)
  episode.entries++
  episode.attempts += attempts
  times.last = entry.effectiveTime
  if (also.length < mostAlso) also.push(entry)
}

const findingOf = ({ rule, subject, entry, also, entries, attempts, values, times }: Episode): Finding => ({
  scorer: 'cybersec',
  label: rule.label,
  score: rule.score,
  severity: rule.severity,
  subject,
  reason: sentenceOf(rule.sentence, {
    count: rule.distinct ? values.size : attempts,
    who: subject,
    milliseconds: times.last - times.first,
    entries,
  }),
  entry,
  also,
  count: entries,
  times,
})

export const createRateWatch = (rules: readonly RateRule[] = rateRules): RateWatch => {
  /** By rule, source and subject: those seen lately, and those not seen since there were half as many as may be. */
  let lately = new Map<string, Watched>()
  let before = new Map<string, Watched>()
  const found: (() => Finding)[] = []

  const watchedOf = (key: string): Watched => {
    const found = lately.get(key)
    if (found) return found
    const state = before.get(key) ?? {
      window: [],
      attemptsOf: createAttemptCounter(),
      episode: undefined,
      lastTime: Number.NEGATIVE_INFINITY,
    }
    if (lately.size >= mostWatched / 2) {
      before = lately
      lately = new Map()
    }
    lately.set(key, state)
    return state
  }
  const apply = (rule: RateRule, index: number, happening: Happening) => {
    const subject = rule.kinds.includes(happening.kind) ? subjectOf(rule, happening) : null
    const { entry } = happening
    // Entries without a time of their own have that of when they came in: all at once.
    if (subject === null || (entry.time === null && rule.seconds <= quickSeconds)) return
    const state = watchedOf(`${index}\0${entry.origin.sourceId}\0${subject}`)
    const now = entry.effectiveTime
    // A pause as long as the window, and no mere breath: what comes now is another time.
    if (now - state.lastTime > Math.max(rule.seconds, leastPauseSeconds) * 1000) state.episode = undefined
    state.lastTime = now
    const added = { happening, attempts: state.attemptsOf(happening) }
    if (state.episode) {
      goOn(state.episode, added)
      return
    }
    state.window.push(added)
    leaveBehind(state.window, now - rule.seconds * 1000)
    if (countIn(rule, state.window) < rule.count) return
    const episode = begin(rule, subject, state.window, happening)
    state.episode = episode
    state.window = []
    found.push(() => findingOf(episode))
  }
  const applyGuessed = (happening: Happening) => {
    const { entry, address, kind } = happening
    if (address === null || (kind !== 'sign_in' && kind !== 'failed_sign_in' && kind !== 'unknown_user')) return
    const state = watchedOf(`${guessedRule.label}\0${entry.origin.sourceId}\0${address}`)
    const now = entry.effectiveTime
    leaveBehind(state.window, now - guessedRule.seconds * 1000)
    if (kind !== 'sign_in') {
      state.window.push({ happening, attempts: state.attemptsOf(happening) })
      leaveBehind(state.window, now - guessedRule.seconds * 1000)
      return
    }
    const [first] = state.window
    const count = attemptsIn(state.window)
    if (first && count >= guessedRule.failures) {
      const entries = state.window.length + 1
      const times = { first: timeOf(first), last: now }
      const finding: Finding = {
        scorer: 'cybersec',
        label: guessedRule.label,
        score: guessedRule.score,
        severity: guessedRule.severity,
        subject: address,
        reason: sentenceOf(guessedRule.sentence, {
          count,
          who: address,
          milliseconds: now - timeOf(first),
          entries: count === entries - 1 ? count : entries,
        }),
        entry,
        also: [],
        count: entries,
        times,
      }
      found.push(() => finding)
    }
    state.window = []
  }
  return {
    add: (happening) => {
      rules.forEach((rule, index) => {
        apply(rule, index, happening)
      })
      applyGuessed(happening)
    },
    findings: () => found.map((told) => told()),
  }
}
