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

/** Rules about so short a time are about the pace of entries. */
const quickSeconds = 10

type Counted = { happening: Happening; attempts: number }
type Watched = {
  window: Counted[]
  attemptsOf: ReturnType<typeof createAttemptCounter>
  finding: Finding | undefined
  lastTime: number
}

export const spanOf = (milliseconds: number): string => {
  const seconds = Math.max(1, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3_600)} hours`
}

export const sentenceOf = (sentence: string, count: number, who: string, milliseconds: number): string =>
  sentence.replace('{count}', String(count)).replace('{who}', who).replace('{span}', spanOf(milliseconds))

const distinctValueOf = (happening: Happening, distinct: NonNullable<RateRule['distinct']>): string | null => {
  if (distinct !== 'network') return happening[distinct]
  return happening.address === null ? null : publicNetworkOf(happening.address)
}

const attemptsIn = (window: readonly Counted[]): number => window.reduce((sum, { attempts }) => sum + attempts, 0)

const countIn = ({ distinct }: RateRule, window: readonly Counted[]): number =>
  distinct
    ? new Set(window.map(({ happening }) => distinctValueOf(happening, distinct)).filter((value) => value !== null))
        .size
    : attemptsIn(window)

const timeOf = ({ happening }: Counted): number => happening.entry.effectiveTime

/** Takes what is too old off the front, and what are too many. Happenings come in the order of time. */
const leaveBehind = (window: Counted[], since: number): void => {
  let old = Math.max(0, window.length - mostInWindow)
  for (let first = window[old]; first && timeOf(first) < since; first = window[old]) old++
  if (old > 0) window.splice(0, old)
}

export const createRateWatch = (rules: readonly RateRule[] = rateRules): RateWatch => {
  /** By rule, source and subject: those seen lately, and those not seen since there were half as many as may be. */
  let lately = new Map<string, Watched>()
  let before = new Map<string, Watched>()
  const found: Finding[] = []

  const watchedOf = (key: string): Watched => {
    const found = lately.get(key)
    if (found) return found
    const state = before.get(key) ?? {
      window: [],
      attemptsOf: createAttemptCounter(),
      finding: undefined,
      lastTime: Number.NEGATIVE_INFINITY,
    }
    if (lately.size >= mostWatched / 2) {
      before = lately
      lately = new Map()
    }
    lately.set(key, state)
    return state
  }
  const conclude = (state: Watched, finding: Finding) => {
    state.finding = finding
    found.push(finding)
  }
  const apply = (rule: RateRule, index: number, happening: Happening) => {
    const subject = rule.kinds.includes(happening.kind) ? subjectOf(rule, happening) : null
    const { entry } = happening
    // Entries without a time of their own have that of when they came in: all at once.
    if (subject === null || (entry.time === null && rule.seconds <= quickSeconds)) return
    const state = watchedOf(`${index}\0${entry.origin.sourceId}\0${subject}`)
    const now = entry.effectiveTime
    // A pause as long as the window: what comes now is another time.
    if (now - state.lastTime > rule.seconds * 1000) state.finding = undefined
    state.lastTime = now
    state.window.push({ happening, attempts: state.attemptsOf(happening) })
    leaveBehind(state.window, now - rule.seconds * 1000)
    const { finding, window } = state
    if (finding) {
      finding.count++
      if (finding.also.length < mostAlso) finding.also = [...finding.also, entry]
      return
    }
    const count = countIn(rule, window)
    const [first] = window
    if (count < rule.count || !first) return
    conclude(state, {
      scorer: 'cybersec',
      label: rule.label,
      score: rule.score,
      severity: rule.severity,
      subject,
      reason: sentenceOf(rule.sentence, count, subject, now - timeOf(first)),
      entry,
      also: window.slice(0, -1).map((earlier) => earlier.happening.entry),
      count: window.length,
    })
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
      conclude(state, {
        scorer: 'cybersec',
        label: guessedRule.label,
        score: guessedRule.score,
        severity: guessedRule.severity,
        subject: address,
        reason: sentenceOf(guessedRule.sentence, count, address, now - timeOf(first)),
        entry,
        also: [],
        count: state.window.length + 1,
      })
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
    findings: () => found,
  }
}
