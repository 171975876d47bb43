import { createAttemptCounter, createAttemptReader } from './attempts.ts'
import type { Finding } from './finding.ts'
import type { Happening } from './happenings.ts'
import type { RateRule } from './rate-rules.ts'
import { createRateWindow, type RateWindow } from './rate-window.ts'

/** All that speaks for a finding, from the first to the last without a pause. */
export type Episode = {
  rule: RateRule
  subject: string
  entry: Finding['entry']
  also: Finding['entry'][]
  entries: number
  attempts: number
  /** Those that the rule tells apart. */
  values: Set<string>
  times: { first: number; last: number }
}

/** What one rule knows of one subject. */
export type Watched = {
  window: RateWindow
  attemptsOf: ReturnType<typeof createAttemptCounter>
  episode: Episode | undefined
  lastTime: number
}

/** By the number of the rule: what each knows of an address, an account or a source. */
export type WatchedSubject = (Watched | undefined)[]

export type WatchedSubjects = {
  of: (by: RateRule['by'], happening: Happening, subject: string) => WatchedSubject
  /** What the rule of this number knows of a subject, from now on. */
  watch: (watched: WatchedSubject, rule: number) => Watched
}

/** Keeps what was seen lately, and what has not been seen since there was half of `most`: of more, the longest unseen are forgotten. */
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
