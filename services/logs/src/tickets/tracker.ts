import type { Egress } from '@trellis/kit/egress'
import type { SettingsValues } from '../settings/declared.ts'

/** An incident as a tracker is told of it: texts cut to what every tracker takes. */
export type TicketContent = {
  title: string
  /** Lines such as `Severity: ERROR`. */
  facts: readonly string[]
  notes: string
  /** Each of at most 2,000 characters, oldest first. */
  entries: readonly string[]
  /** Entries that had no room. */
  omitted: number
}

export type CreatedTicket = { ticketId: string; url: string }

export type TrackerContext = {
  settings: SettingsValues
  upstream: Pick<Egress, 'fetch'>
  signal: AbortSignal
}

/** A place where tickets are made: what it needs, and how one is made there. One more is one more of these in the list of trackers. */
export type Tracker = {
  name: string
  /** What people call it. */
  title: string
  /** Names of settings without which it cannot be used. */
  missing: (settings: SettingsValues) => string[]
  /** Settings whose values nobody may read in what it says. */
  secrets: (settings: SettingsValues) => string[]
  /** Throws `upstream_failed` with the tracker's words, or `upstream_timeout`. */
  create: (content: TicketContent, context: TrackerContext) => Promise<CreatedTicket>
  /**
   * Tickets that were made of an incident since a moment (epoch milliseconds), as far as the tracker lets one look: after an attempt of which
   * nobody knows how it ended. Throws as `create` does where no answer comes.
   */
  find: (wanted: { incidentId: string; since: number }, context: TrackerContext) => Promise<CreatedTicket[]>
}
