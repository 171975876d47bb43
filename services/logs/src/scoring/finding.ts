import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'

export const scorers = ['anomaly', 'cybersec'] as const
export type Scorer = (typeof scorers)[number]

/** Something that a scorer found, shown by one entry that speaks for it. */
export type Finding = {
  scorer: Scorer
  /** What it is, such as `brute_force` or `burst`. */
  label: string
  /** 0 to 1: how sure the scorer is that somebody should look. */
  score: number
  severity: Severity | null
  /** Whom or what it is about within its source: an address, a template. The same again soon is the same finding. */
  subject: string
  /** A sentence that says what was seen. */
  reason: string
  entry: StoredEntry
  /** Further entries that carry the score, the shown one not among them. */
  also: readonly StoredEntry[]
  /** Entries that speak for it. */
  count: number
  /** When the first and the last of those came, where `entry` and `also` are not all of them. */
  times?: { first: number; last: number }
}

/** A finding that is no surer than this is no detection. */
export const leastScore = 0.5

/** When the first and the last entry came that speak for a finding. */
export const timesOf = ({ entry, also, times }: Finding): { first: number; last: number } => {
  if (times) return times
  const all = [entry, ...also].map(({ effectiveTime }) => effectiveTime)
  return { first: Math.min(...all), last: Math.max(...all) }
}
