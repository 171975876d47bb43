import type { StoredEntry } from '../entries/entry.ts'

/** Consecutive entries of a source in time order; stretches read together have about equal numbers of entries. */
export type Stretch = {
  /** The time span in epoch milliseconds; `until` is exclusive. */
  since: number
  until: number
  entries: readonly StoredEntry[]
  /** Whether the stretch begins where the previous one ends. */
  followsPrevious: boolean
}

/** An anomaly found in stretches, with the entries that show it, the earliest first. */
export type PlaceAnomaly = {
  label: string
  subject: string
  score: number
  severity: StoredEntry['severity']
  reason: string
  entries: StoredEntry[]
  count: number
}
