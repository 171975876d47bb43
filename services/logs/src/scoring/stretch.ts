import type { StoredEntry } from '../entries/entry.ts'

/** Neighbouring entries of a source in the order of time; stretches of one reading have about as many each. */
export type Stretch = {
  /** Epoch milliseconds: what is from here up to but without there is in it. */
  since: number
  until: number
  entries: readonly StoredEntry[]
  /** Whether it begins where the one before ends. */
  goesOn: boolean
}

/** What stands out in stretches, with the entries that show it, the first of them first. */
export type PlaceAnomaly = {
  label: string
  subject: string
  score: number
  severity: StoredEntry['severity']
  reason: string
  entries: StoredEntry[]
  count: number
}
