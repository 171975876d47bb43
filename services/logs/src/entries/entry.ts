import type { EntryOverlay } from '../overlays/entry-overlay.ts'
import type { Severity } from './severity-code.ts'

/** Where an entry came from and how it was read; few of these cover many entries. */
export type Origin = {
  sourceId: string
  branch: string | null
  tenantId: string | null
  format: string
  /** Its entries have pseudonyms in place of addresses and user names. */
  anonymized?: true
}

/** What a sender said beyond the text, kept as it was sent. */
export type SenderDetails = {
  entryId?: string
  fields?: Record<string, unknown>
  timestampRaw?: string
}

/** An entry as it is kept. `time` is epoch milliseconds UTC, null where the text has none. */
export type StoredEntry = {
  /** 32 hex digits derived from the content, or what the sender gave. */
  entryId: string
  origin: Origin
  sequence: number
  /** What orders it among entries of its time where that is not the sequence; see `orderOf`. */
  order?: number
  time: number | null
  ingestTime: number
  /** What orders the entry: its time, else that of its neighbour in its file, else when it came in. */
  effectiveTime: number
  severity: Severity | null
  repeatCount: number
  text: string
  truncated: boolean
  outOfOrder: boolean
  matchedPatterns: string[]
  /** The id of the template of its message; null where it has none. */
  templateId: string | null
  sender: SenderDetails | null
  /** What was found out about it since, where that was asked for and there is any. */
  overlay?: EntryOverlay
}
