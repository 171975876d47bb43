import { counted } from '../counted.ts'
import type { WholeFinding } from './finding.ts'
import type { Happening, HappeningKind } from './happenings.ts'
import { guessedRule, type RateRule, rateRules, subjectOf } from './rate-rules.ts'
import {
  addTo,
  type Counted,
  createRateWindow,
  distinctValueOf,
  leaveBehind,
  type RateWindow,
  timeOf,
} from './rate-window.ts'
import { createWatchedSubjects, type Episode, type WatchedSubject } from './watched-subjects.ts'

/** Takes happenings in the order of time and tells when they have become too many. */
export type RateWatch = {
  add: (happening: Happening) => void
  /** One for each time that somebody went on without a pause, with all that spoke for it. */
  findings: () => WholeFinding[]
}

/** Those that are watched at once; of more, the longest unseen are forgotten. A flood of made-up addresses ends here. */
const maxWatched = 20_000
/** Entries that carry a finding's score beside the one that shows it. */
const maxAlso = 100
/** Different values that are told apart in one finding: ports and names may be made up. */
const maxValues = 10_000

/** Rules about so short a time are about the pace of entries. */
const quickSeconds = 10
const minPauseSeconds = 300

export const spanOf = (milliseconds: number): string => {
  const seconds = Math.max(1, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3_600)} hours`
}

type RateFinding = { count: number; who: string; milliseconds: number; entries: number }

/** What a rule says of all that it counted. Where that is not as many as the entries that speak for it, how many those are, too. */
export const sentenceOf = (sentence: string, { count, who, milliseconds, entries }: RateFinding): string => {
  const told = sentence
    .replace('{count}', String(count))
    .replace('{who}', () => who)
    .replace('{span}', spanOf(milliseconds))
  return count === entries ? told : told.replace(/\.$/, `, in ${counted(entries, 'entry', 'entries')}.`)
}

const countIn = ({ distinct }: RateRule, { values, attempts }: RateWindow): number =>
  distinct ? values.size : attempts

const begin = (rule: RateRule, subject: string, window: RateWindow, { entry }: Happening): Episode => ({
  rule,
  subject,
  entry,
  also: window.counted.slice(0, -1).map((earlier) => earlier.happening.entry),
  entries: window.counted.length,
  attempts: window.attempts,
  values: new Set(window.values.keys()),
  times: { first: Math.min(entry.effectiveTime, ...window.counted.slice(0, 1).map(timeOf)), last: entry.effectiveTime },
})

const goOn = (episode: Episode, { happening, attempts, value }: Counted): void => {
  const { values, also, times } = episode
  const { entry } = happening
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
const rulesByKind = (rules: readonly RateRule[]): ReadonlyMap<HappeningKind, Numbered[]> => {
  const byKind = new Map<HappeningKind, Numbered[]>()
  for (const [index, rule] of rules.entries())
    for (const kind of new Set(rule.kinds)) byKind.set(kind, [...(byKind.get(kind) ?? []), { rule, index }])
  return byKind
}

export const createRateWatch = (rules: readonly RateRule[] = rateRules): RateWatch => {
  const subjects = createWatchedSubjects(maxWatched)
  const found: (() => WholeFinding)[] = []
  const rulesOf = rulesByKind(rules)
  /** The rule about who guessed right stands behind all others. */
  const guessedIndex = rules.length

  const apply = ({ rule, index }: Numbered, subject: string, watched: WatchedSubject, happening: Happening) => {
    const { entry } = happening
    const state = subjects.watch(watched, index)
    const now = entry.effectiveTime
    // A pause as long as the window, and no mere breath: what comes now is another time.
    if (now - state.lastTime > Math.max(rule.seconds, minPauseSeconds) * 1000) state.episode = undefined
    state.lastTime = now
    const added = { happening, attempts: state.attemptsOf(happening), value: distinctValueOf(happening, rule) }
    if (state.episode) {
      goOn(state.episode, added)
      return
    }
    addTo(state.window, added)
    leaveBehind(state.window, now - rule.seconds * 1000)
    if (countIn(rule, state.window) < rule.count) return
    const episode = begin(rule, subject, state.window, happening)
    state.episode = episode
    state.window = createRateWindow()
    found.push(() => findingOf(episode))
  }
  const applyRules = (happening: Happening) => {
    const { entry, kind } = happening
    const watchedBy: Partial<Record<RateRule['by'], WatchedSubject>> = {}
    for (const numbered of rulesOf.get(kind) ?? []) {
      const { rule } = numbered
      const subject = subjectOf(rule, happening)
      // Entries without a time of their own have that of when they came in: all at once.
      if (subject === null || (entry.time === null && rule.seconds <= quickSeconds)) continue
      const watched = watchedBy[rule.by] ?? subjects.of(rule.by, happening, subject)
      watchedBy[rule.by] = watched
      apply(numbered, subject, watched, happening)
    }
  }
  const applyGuessed = (happening: Happening) => {
    const { entry, address, kind } = happening
    if (address === null || (kind !== 'sign_in' && kind !== 'failed_sign_in' && kind !== 'unknown_user')) return
    const state = subjects.watch(subjects.of('address', happening, address), guessedIndex)
    const now = entry.effectiveTime
    leaveBehind(state.window, now - guessedRule.seconds * 1000)
    if (kind !== 'sign_in') {
      addTo(state.window, { happening, attempts: state.attemptsOf(happening), value: null })
      leaveBehind(state.window, now - guessedRule.seconds * 1000)
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
    add: (happening) => {
      applyRules(happening)
      applyGuessed(happening)
    },
    findings: () => found.map((told) => told()),
  }
}
