import { createAttemptCounter, createAttemptReader } from './attempts.ts'
import type { Finding } from './finding.ts'
import type { RateRule } from './rate-rules.ts'
import { createRateWindow, type RateWindow } from './rate-window.ts'
import type { SecurityEvent } from './security-events.ts'

/** The events of one finding, from the first to the last without a pause. */
export type Episode = {
  rule: RateRule
  subject: string
  entry: Finding['entry']
  also: Finding['entry'][]
  entries: number
  attempts: number
  /** The values that the rule counts as distinct. */
  values: Set<string>
  times: { first: number; last: number }
}

/** The state of one rule for one subject. */
export type Watched = {
  window: RateWindow
  attemptsOf: ReturnType<typeof createAttemptCounter>
  episode: Episode | undefined
  lastTime: number
}

/** The states of one address, account or source by the index of the rule. */
export type WatchedSubject = (Watched | undefined)[]

export type WatchedSubjects = {
  of: (by: RateRule['by'], event: SecurityEvent, subject: string) => WatchedSubject
  /** The state of the rule with this index for a subject; created if missing. */
  watch: (watched: WatchedSubject, rule: number) => Watched
}

/** Caches up to `max` states in two generations: when the current one reaches half of `max`, subjects not seen since the previous swap are evicted. */
export const createWatchedSubjects = (max: number): WatchedSubjects => {
  let lately = new Map<string, WatchedSubject>()
  let before = new Map<string, WatchedSubject>()
  let count = 0
  const readAttempt = createAttemptReader()
  return {
    of: (by, { entry }, subject) => {
      const key = `${by}\0${entry.origin.sourceId}\0${subject}`
      const found = lately.get(key)
      if (found) return found
      const watched = before.get(key) ?? []
      if (count >= max / 2) {
        before = lately
        lately = new Map()
        count = 0
      }
      lately.set(key, watched)
      count += watched.filter(Boolean).length
      return watched
    },
    watch: (watched, rule) => {
      const known = watched[rule]
      if (known) return known
      const made = {
        window: createRateWindow(),
        attemptsOf: createAttemptCounter(readAttempt),
        episode: undefined,
        lastTime: Number.NEGATIVE_INFINITY,
      }
      watched[rule] = made
      count++
      return made
    },
  }
}
