import type { Incident } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import type { Entry } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { TicketContent } from './tracker.ts'

/** Maximum entries of a ticket, and characters of each. */
export const maxTicketEntries = 50
export const maxBlockCharacters = 2_000

/** Replaces control characters other than line feeds and tabs, and lone surrogates, which trackers refuse. */
const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches them on purpose
  text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F]/g, ' ').toWellFormed()

/** Truncates a text, but not within a surrogate pair. */
const truncate = (text: string): string => {
  if (text.length <= maxBlockCharacters) return text
  const end = maxBlockCharacters - 1
  const isHalf = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return `${text.slice(0, isHalf ? end - 1 : end)}…`
}

const lineOf = ({ timestampIso, severity, sourceId, text }: Entry): string =>
  truncate(printable(`${[timestampIso, severity, sourceId].filter(Boolean).join(' ')}\n${text}`))

/** The line of a ticket that identifies its incident. */
export const idFact = (incidentId: string): string => `Id: ${incidentId}`

/** The content of an incident's ticket. */
export const ticketContent = (
  incident: Incident,
  { label, entries, entryCount }: { label: string; entries: readonly Entry[]; entryCount: number },
): TicketContent => {
  const shown = entries.slice(0, maxTicketEntries)
  const facts: [string, string | null | undefined][] = [
    ['Incident', incident.label === label ? undefined : incident.label],
    ['Status', incident.status],
    ['Severity', incident.severity],
    ['Issue type', incident.issueType],
    ['Source', incident.sourceId],
    ['Started', incident.startedAt],
    ['Ended', incident.endedAt],
    ['Entries', String(entryCount)],
  ]
  return {
    title: printable(label),
    facts: [...facts.flatMap(([name, value]) => (value ? [printable(`${name}: ${value}`)] : [])), idFact(incident.id)],
    notes: printable(incident.notes),
    entries: shown.map(lineOf),
    omitted: Math.max(0, entryCount - shown.length),
  }
}
