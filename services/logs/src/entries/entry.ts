import type { EntryOverlay } from '../overlays/entry-overlay.ts'
import type { Severity } from './severity-code.ts'

/** Where entries come from and how they were parsed; a few origins cover many entries. */
export type Origin = {
  sourceId: string
  branch: string | null
  tenantId: string | null
  format: string
  /** Addresses and user names of its entries are replaced by pseudonyms. */
  anonymized?: true
}

/** What a sender provides beyond the text, stored as sent. */
export type SenderDetails = {
  entryId?: string
  fields?: Record<string, unknown>
  timestampRaw?: string
}

/** A stored entry. `time` is epoch milliseconds UTC, null if the text has none. */
export type StoredEntry = {
  /** 32 hex digits derived from the content, or the id that the sender provided. */
  entryId: string
  origin: Origin
  sequence: number
  /** The sort key among entries of the same time, if it is not the sequence; see `orderOf`. */
  order?: number
  time: number | null
  ingestTime: number
  /** The primary sort key: the time, else that of a neighbour in the file, else the time of ingestion. */
  effectiveTime: number
  severity: Severity | null
  repeatCount: number
  text: string
  truncated: boolean
  outOfOrder: boolean
  matchedPatterns: string[]
  /** The template of its message; null if it has none. */
  templateId: string | null
  sender: SenderDetails | null
  /** Results of scoring and annotations, if the request includes them and there are any. */
  overlay?: EntryOverlay
}
