import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import { isStorable } from '../entries/usable-id.ts'

export const scorers = ['anomaly', 'cybersec'] as const
export type Scorer = (typeof scorers)[number]

/** The fields of an entry that are needed to store its score. */
export type ScoredEntry = Pick<StoredEntry, 'entryId' | 'origin' | 'effectiveTime'>

/** Something that a scorer found, represented by one of its entries. */
export type Finding = {
  scorer: Scorer
  /** The kind of finding, such as `brute_force` or `burst`. */
  label: string
  /** 0 to 1: the probability that the finding needs attention. */
  score: number
  severity: Severity | null
  /** The actor or object within the source: an address, a template. A finding with the same subject soon after is the same finding. */
  subject: string
  /** A sentence that describes the observation. */
  reason: string
  entry: StoredEntry
  /** Further entries that carry the score, without `entry`. */
  also: readonly ScoredEntry[]
  /** The number of entries that support the finding. */
  count: number
  /** Times of the first and the last of these entries, if `entry` and `also` do not include all of them. */
  times?: { first: number; last: number }
}

/** A finding with its complete entries. */
export type WholeFinding = Finding & { also: readonly StoredEntry[] }

/** Represents a finding by its first entry whose id the database can store, if there is one. */
export const shownByStorable = (finding: WholeFinding): WholeFinding => {
  const all = [finding.entry, ...finding.also]
  const entry = all.find(({ entryId }) => isStorable(entryId)) ?? finding.entry
  return entry === finding.entry ? finding : { ...finding, entry, also: all.filter((other) => other !== entry) }
}

/** Findings with a lower score are not detections. */
export const minScore = 0.5

/** Times of the first and the last entry that support a finding. */
export const timesOf = ({ entry, also, times }: Finding): { first: number; last: number } => {
  if (times) return times
  const all = [entry, ...also].map(({ effectiveTime }) => effectiveTime)
  return { first: Math.min(...all), last: Math.max(...all) }
}
