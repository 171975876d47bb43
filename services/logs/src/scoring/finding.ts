import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import { isStorable } from '../entries/usable-id.ts'

export const scorers = ['anomaly', 'cybersec'] as const
export type Scorer = (typeof scorers)[number]

/** An entry that carries a score, as far as it must be known to write that down. */
export type ScoredEntry = Pick<StoredEntry, 'entryId' | 'origin' | 'effectiveTime'>

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
  also: readonly ScoredEntry[]
  /** Entries that speak for it. */
  count: number
  /** When the first and the last of those came, where `entry` and `also` are not all of them. */
  times?: { first: number; last: number }
}

/** The same with all of its entries as they were read. */
export type WholeFinding = Finding & { also: readonly StoredEntry[] }

/** Shown by the first of its entries whose id can be written down, where it has one. */
export const shownByStorable = (finding: WholeFinding): WholeFinding => {
  const all = [finding.entry, ...finding.also]
  const entry = all.find(({ entryId }) => isStorable(entryId)) ?? finding.entry
  return entry === finding.entry ? finding : { ...finding, entry, also: all.filter((other) => other !== entry) }
}

/** A finding that is no surer than this is no detection. */
export const minScore = 0.5

/** When the first and the last entry came that speak for a finding. */
export const timesOf = ({ entry, also, times }: Finding): { first: number; last: number } => {
  if (times) return times
  const all = [entry, ...also].map(({ effectiveTime }) => effectiveTime)
  return { first: Math.min(...all), last: Math.max(...all) }
}
