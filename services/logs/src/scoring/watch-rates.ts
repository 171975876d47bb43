import { counted } from '../counted.ts'
import type { WholeFinding } from './finding.ts'
import { guessedRule, type RateRule, rateRules, subjectOf } from './rate-rules.ts'
import {
  addTo,
  type Counted,
  createRateWindow,
  distinctValueOf,
  type RateWindow,
  removeOlder,
  timeOf,
} from './rate-window.ts'
import type { SecurityEvent, SecurityEventKind } from './security-events.ts'
import { createWatchedSubjects, type Episode, type WatchedSubject } from './watched-subjects.ts'

/** Takes events in time order, and reports when they have become too many. */
export type RateWatch = {
  add: (event: SecurityEvent) => void
  /** One finding for each episode of a subject without a pause, with all entries that support it. */
  findings: () => WholeFinding[]
}

/** Subjects that are watched at once; beyond that, the least recently seen are evicted. This bounds a flood of made-up addresses. */
const maxWatched = 20_000
/** Entries that carry a finding's score besides the shown one. */
const maxAlso = 100
/** Distinct values stored per finding: ports and names may be made up. */
const maxValues = 10_000

/** Rules with a shorter time span detect the speed of an attacker. */
const quickSeconds = 10
const minPauseSeconds = 300

export const spanOf = (milliseconds: number): string => {
  const seconds = Math.max(1, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3_600)} hours`
}

type RateFinding = { count: number; who: string; milliseconds: number; entries: number }

/** The sentence of a rule with its placeholders filled. If the number of supporting entries differs from the count, it is appended. */
export const sentenceOf = (sentence: string, { count, who, milliseconds, entries }: RateFinding): string => {
  const filled = sentence
    .replace('{count}', String(count))
    .replace('{who}', () => who)
    .replace('{span}', spanOf(milliseconds))
  return count === entries ? filled : filled.replace(/\.$/, `, in ${counted(entries, 'entry', 'entries')}.`)
}

const countIn = ({ distinct }: RateRule, { values, attempts }: RateWindow): number =>
  distinct ? values.size : attempts

const begin = (rule: RateRule, subject: string, window: RateWindow, { entry }: SecurityEvent): Episode => ({
  rule,
  subject,
  entry,
  also: window.counted.slice(0, -1).map((earlier) => earlier.event.entry),
  entries: window.counted.length,
  attempts: window.attempts,
  values: new Set(window.values.keys()),
  times: { first: Math.min(entry.effectiveTime, ...window.counted.slice(0, 1).map(timeOf)), last: entry.effectiveTime },
})

const extend = (episode: Episode, { event, attempts, value }: Counted): void => {
  const { values, also, times } = episode
  const { entry } = event
  if (value !== null && values.size < maxValues) values.add(value)
  episode.entries++
  episode.attempts += attempts
  times.last = entry.effectiveTime
  if (also.length < maxAlso) also.push(entry)
}

const findingOf = ({ rule, subject, entry, also, entries, attempts, values, times }: Episode): WholeFinding => ({
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

type Numbered = { rule: RateRule; index: number }
const rulesByKind = (rules: readonly RateRule[]): ReadonlyMap<SecurityEventKind, Numbered[]> => {
  const byKind = new Map<SecurityEventKind, Numbered[]>()
  for (const [index, rule] of rules.entries())
    for (const kind of new Set(rule.kinds)) byKind.set(kind, [...(byKind.get(kind) ?? []), { rule, index }])
  return byKind
}

export const createRateWatch = (rules: readonly RateRule[] = rateRules): RateWatch => {
  const subjects = createWatchedSubjects(maxWatched)
  const found: (() => WholeFinding)[] = []
  const rulesOf = rulesByKind(rules)
  /** The rule about guessed passwords has the index after all others. */
  const guessedIndex = rules.length

  const apply = ({ rule, index }: Numbered, subject: string, watched: WatchedSubject, event: SecurityEvent) => {
    const { entry } = event
    const state = subjects.watch(watched, index)
    const now = entry.effectiveTime
    // After a pause as long as the window, and of at least the minimum, a new episode begins.
    if (now - state.lastTime > Math.max(rule.seconds, minPauseSeconds) * 1000) state.episode = undefined
    state.lastTime = now
    const added = { event, attempts: state.attemptsOf(event), value: distinctValueOf(event, rule) }
    if (state.episode) {
      extend(state.episode, added)
      return
    }
    addTo(state.window, added)
    removeOlder(state.window, now - rule.seconds * 1000)
    if (countIn(rule, state.window) < rule.count) return
    const episode = begin(rule, subject, state.window, event)
    state.episode = episode
    state.window = createRateWindow()
    found.push(() => findingOf(episode))
  }
  const applyRules = (event: SecurityEvent) => {
    const { entry, kind } = event
    const watchedBy: Partial<Record<RateRule['by'], WatchedSubject>> = {}
    for (const numbered of rulesOf.get(kind) ?? []) {
      const { rule } = numbered
      const subject = subjectOf(rule, event)
      // The time of entries without one is their arrival, which batches share.
      if (subject === null || (entry.time === null && rule.seconds <= quickSeconds)) continue
      const watched = watchedBy[rule.by] ?? subjects.of(rule.by, event, subject)
      watchedBy[rule.by] = watched
      apply(numbered, subject, watched, event)
    }
  }
  const applyGuessed = (event: SecurityEvent) => {
    const { entry, address, kind } = event
    if (address === null || (kind !== 'sign_in' && kind !== 'failed_sign_in' && kind !== 'unknown_user')) return
    const state = subjects.watch(subjects.of('address', event, address), guessedIndex)
    const now = entry.effectiveTime
    removeOlder(state.window, now - guessedRule.seconds * 1000)
    if (kind !== 'sign_in') {
      addTo(state.window, { event, attempts: state.attemptsOf(event), value: null })
      removeOlder(state.window, now - guessedRule.seconds * 1000)
      return
    }
    const { counted, attempts: count } = state.window
    const [first] = counted
    if (first && count >= guessedRule.failures) {
      const entries = counted.length + 1
      const times = { first: timeOf(first), last: now }
      const finding: WholeFinding = {
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
    state.window = createRateWindow()
  }
  return {
    add: (event) => {
      applyRules(event)
      applyGuessed(event)
    },
    findings: () => found.map((finding) => finding()),
  }
}
