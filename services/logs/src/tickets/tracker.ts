import type { Egress } from '@trellis/kit/egress'
import type { SettingsValues } from '../settings/declared.ts'

/** The content of a ticket, with texts truncated to the limits of all trackers. */
export type TicketContent = {
  title: string
  /** Lines such as `Severity: ERROR`. */
  facts: readonly string[]
  notes: string
  /** Each of at most 2,000 characters, oldest first. */
  entries: readonly string[]
  /** Number of entries that did not fit. */
  omitted: number
}

export type CreatedTicket = { ticketId: string; url: string }

export type TrackerContext = {
  settings: SettingsValues
  upstream: Pick<Egress, 'fetch'>
  signal: AbortSignal
}

/** A system in which tickets are created: its settings and its API. A new one is added to the list of trackers. */
export type Tracker = {
  name: string
  /** The name for people. */
  title: string
  /** Names of required settings that are empty. */
  missing: (settings: SettingsValues) => string[]
  /** Values that must not appear in messages of the tracker. */
  secrets: (settings: SettingsValues) => string[]
  /** Throws `upstream_failed` with the tracker's message, or `upstream_timeout`. */
  create: (content: TicketContent, context: TrackerContext) => Promise<CreatedTicket>
  /**
   * Tickets of an incident that were created since a time (epoch milliseconds), as far as the tracker permits the search: after an attempt with
   * unknown outcome. Throws as `create` does without a response.
   */
  find: (query: { incidentId: string; since: number }, context: TrackerContext) => Promise<CreatedTicket[]>
}
