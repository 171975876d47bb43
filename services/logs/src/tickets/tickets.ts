import { invalidField, isServiceError, serviceError } from '@trellis/kit/errors'
import type { Leases } from '@trellis/kit/leases'
import { maskEntries, maskIncident } from '../bundles/bundle.ts'
import type { Dependencies } from '../dependencies.ts'
import type { IncidentDb } from '../incidents/all-tables.ts'
import { entriesOfIncident } from '../incidents/incident-entries.ts'
import type { Incidents } from '../incidents/incidents.ts'
import { presentIncident } from '../incidents/present.ts'
import { addEvent } from '../incidents/store.ts'
import { createMasker } from '../masking/masker.ts'
import { beginAttempt, endAttempt, findTicket, insertTicket, ticketIds } from './store.ts'
import type { TicketTable } from './tables.ts'
import { maxTicketEntries, ticketContent } from './ticket-content.ts'
import type { CreatedTicket, Tracker, TrackerContext } from './tracker.ts'
import { trackers as allTrackers } from './trackers.ts'

export type ExportRequest = {
  incidentId: string
  tracker: string
  label: string | undefined
  sanitize: boolean
  again: boolean
  signal: AbortSignal
}

export type ExportedTicket = Pick<TicketTable, 'tracker' | 'ticket_id' | 'url'> & { isNew: boolean }

export type TicketsOptions = {
  db: IncidentDb
  leases: Pick<Leases, 'take'>
  incidents: Pick<Incidents, 'get'>
  dependencies: Pick<Dependencies, 'engine' | 'upstream' | 'settings' | 'now'>
  trackers?: readonly Tracker[]
}

/** A failure without secrets: trackers may repeat them in their messages. */
const withoutSecrets = (error: unknown, secrets: readonly string[]): unknown => {
  if (!isServiceError(error) || typeof error.detail !== 'string') return error
  const clean = secrets.filter((one) => one !== '').reduce((text, one) => text.replaceAll(one, '***'), error.detail)
  return clean === error.detail ? error : serviceError(error.kind, clean)
}

/** Creates tickets of incidents. The list of trackers is data; nothing here depends on one of them. */
export const createTickets = (options: TicketsOptions) => {
  const { db, leases, incidents, dependencies, trackers = allTrackers } = options
  const { engine, upstream, settings, now } = dependencies

  const contentOf = async ({ incidentId, label, sanitize, signal }: ExportRequest) => {
    const row = await incidents.get(incidentId)
    const found = await entriesOfIncident(row, { engine, db, limit: maxTicketEntries, signal })
    const masker = sanitize ? createMasker() : undefined
    const entries = masker ? await maskEntries(found.entries, masker) : found.entries
    const incident = masker ? maskIncident(presentIncident(row), masker) : presentIncident(row)
    const title = label?.trim() ? (masker ? masker.text(label) : label) : incident.label
    return ticketContent(incident, { label: title, entries, entryCount: found.count })
  }
  /** Finds a ticket that an interrupted attempt created without recording it here. */
  const findUnrecorded = async (
    tracker: Tracker,
    { since, ...key }: Pick<TicketTable, 'incident_id' | 'tracker'> & { since: number },
    context: TrackerContext,
  ): Promise<CreatedTicket | undefined> => {
    const [found, known] = await Promise.all([
      tracker.find({ incidentId: key.incident_id, since }, context),
      ticketIds(db, key),
    ])
    return found.find(({ ticketId }) => !known.has(ticketId))
  }
  const create = async (tracker: Tracker, request: ExportRequest): Promise<ExportedTicket> => {
    const values = await settings.read()
    const missing = tracker.missing(values)
    if (missing.length > 0)
      throw serviceError(
        'unavailable',
        `${tracker.title} is not configured: set ${missing.join(', ')} in the settings.`,
      )
    const content = await contentOf(request)
    const { incidentId: incident_id } = request
    const key = { incident_id, tracker: tracker.name }
    const context = { settings: values, upstream, signal: request.signal }
    try {
      const earlier = await beginAttempt(db, key, now())
      const unrecorded =
        earlier === undefined ? undefined : await findUnrecorded(tracker, { ...key, since: earlier }, context)
      const { ticketId, url } = unrecorded ?? (await tracker.create(content, context))
      const at = now()
      await insertTicket(db, { ...key, ticket_id: ticketId, url, label: content.title, created_at: at })
      await endAttempt(db, key)
      const detail = `To ${tracker.title}: ${ticketId}.`
      await addEvent(db, { incident_id, kind: 'exported', detail, at }).catch(() => undefined)
      return { tracker: tracker.name, ticket_id: ticketId, url, isNew: true }
    } catch (error) {
      throw withoutSecrets(error, tracker.secrets(values))
    }
  }
  return {
    /** Throws `not_found`, `invalid` for an unknown tracker, `conflict` while the same export runs, and what the tracker throws. */
    export: async (request: ExportRequest): Promise<ExportedTicket> => {
      await incidents.get(request.incidentId)
      const tracker = trackers.find(({ name }) => name === request.tracker)
      if (!tracker) {
        const names = trackers.map(({ name }) => name).join(' or ')
        throw invalidField(['body', 'tracker'], `tracker must be ${names}.`)
      }
      const key = { incident_id: request.incidentId, tracker: tracker.name }
      const known = () => (request.again ? undefined : findTicket(db, key))
      const before = await known()
      if (before) return { ...before, isNew: false }
      await using lease = await leases.take(`ticket:${tracker.name}:${request.incidentId}`, request.signal)
      if (!lease) throw serviceError('conflict', 'A ticket of this incident is already being created in this tracker.')
      // A concurrent export may have created it before the lease was taken.
      const meanwhile = await known()
      return meanwhile ? { ...meanwhile, isNew: false } : await create(tracker, request)
    },
  }
}

export type Tickets = ReturnType<typeof createTickets>
