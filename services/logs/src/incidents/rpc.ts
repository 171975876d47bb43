import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { IncidentsServiceDefinition, ListIncidentsRequest } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import { reportMissing } from '../branches/report-missing.ts'
import type { Dependencies } from '../dependencies.ts'
import { readWindow } from '../search/read-request.ts'
import { type IncidentInput, incidentStatuses, readSeverity } from './incident.ts'
import { entriesOfIncident } from './incident-entries.ts'
import type { Incidents } from './incidents.ts'
import { defaultPage, newestFirst } from './paging.ts'
import { presentDetail, presentIncident } from './present.ts'
import { type Db, findAttached, type IncidentFilters, listEvents, listIncidents, similarIncidents } from './store.ts'

type IncidentHandlers = Pick<
  Handlers<typeof IncidentsServiceDefinition>,
  | 'createIncident'
  | 'listIncidents'
  | 'getIncident'
  | 'updateIncident'
  | 'deleteIncident'
  | 'attachEntries'
  | 'detachEntry'
>

/** Maximum entries in the detail of an incident. */
export const maxShownEntries = 100
const maxShownEvents = 200
const maxSimilar = 5

/** Editable fields: names in requests, and in the code. */
const editable: Record<string, keyof IncidentInput> = {
  label: 'label',
  started_at: 'startedAt',
  ended_at: 'endedAt',
  notes: 'notes',
  severity: 'severity',
  issue_type: 'issueType',
  query: 'query',
  source_id: 'sourceId',
}

const readStatuses = (text: string): string[] =>
  text.split(',').map((part) => {
    const status = incidentStatuses.find((known) => known === part.trim())
    if (!status)
      throw invalidField(
        ['query', 'status'],
        `"${part.trim()}" is not a status: use one of ${incidentStatuses.join(', ')}.`,
      )
    return status
  })

const readIncidentFilters = (request: ListIncidentsRequest): IncidentFilters => ({
  ...(request.status && { statuses: readStatuses(request.status) }),
  ...(request.severity && { severities: request.severity.split(',').map((part) => readSeverity(part, 'query') ?? '') }),
  ...(request.issueType && { issueType: request.issueType }),
  ...(request.q?.trim() && { text: request.q.trim() }),
  ...readWindow(request),
})

const incidentPages = newestFirst('incidents')

export type IncidentsRpcOptions = { dependencies: Pick<Dependencies, 'engine'>; incidents: Incidents; db: Db }

export const incidentsRpc = ({ dependencies: { engine }, incidents, db }: IncidentsRpcOptions): IncidentHandlers => ({
  createIncident: async (request) => presentIncident(await incidents.create(request)),
  listIncidents: async (request) => {
    const limit = request.limit ?? defaultPage
    const rows = await listIncidents(db, readIncidentFilters(request), {
      limit: limit + 1,
      after: incidentPages.read(request.cursor),
    })
    const { page, nextCursor } = incidentPages.toPage(rows, limit, ({ created_at, id }) => ({ time: created_at, id }))
    return { incidents: page.map(presentIncident), nextCursor }
  },
  getIncident: async ({ id }, { signal, head }) => {
    const incident = await incidents.get(id)
    const [{ entries, attachedIds, count, missing }, events, similar] = await Promise.all([
      entriesOfIncident(incident, { engine, db, limit: maxShownEntries, signal }),
      listEvents(db, id, maxShownEvents),
      similarIncidents(db, incident, maxSimilar),
    ])
    reportMissing(head, missing)
    return presentDetail(incident, { entries, attachedEntryIds: attachedIds, entryCount: count, events, similar })
  },
  updateIncident: async (request) => {
    const names = request.updateMask ?? []
    const named = names.flatMap((name) => (editable[name] ? [editable[name]] : []))
    const status = names.includes('status') ? incidentStatuses.find((known) => known === request.status) : undefined
    if (names.includes('status') && status === undefined)
      throw invalidField(['body', 'status'], `status must be one of ${incidentStatuses.join(', ')}.`)
    return presentIncident(await incidents.update(request.id, named, { ...request, status }))
  },
  deleteIncident: async ({ id }) => {
    await incidents.remove(id)
    return {}
  },
  attachEntries: async ({ id, entryIds }, { signal }) => {
    if (entryIds.length === 0) throw invalidField(['body', 'entry_ids'], 'entry_ids must name at least one entry.')
    await incidents.get(id)
    // Their copies suffice: the originals may have been deleted since.
    const attached = await findAttached(db, id, entryIds)
    const entries = []
    for (const entryId of new Set(entryIds).difference(attached)) {
      const entry = await engine.find(entryId, signal)
      if (!entry) throw serviceError('not_found', `There is no entry "${entryId}".`)
      entries.push(entry)
    }
    return await incidents.attach(id, entries)
  },
  detachEntry: async ({ id, entryId }) => {
    await incidents.detach(id, entryId)
    return {}
  },
})
