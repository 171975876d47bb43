import { randomUUID } from 'node:crypto'
import { invalidField, serviceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import type { StoredEntry } from '../entries/entry.ts'
import { changeIncident, type IncidentInput, type IncidentStatus, newIncident } from './incident.ts'
import { attachable, maxAttached } from './incident-entries.ts'
import {
  addEvent,
  attachEntries,
  type Db,
  deleteIncident,
  detachEntry,
  findIncident,
  type IncidentRow,
  insertIncident,
  updateIncident,
} from './store.ts'
import type { IncidentTable } from './tables.ts'

export type Incidents = {
  create: (input: IncidentInput) => Promise<IncidentRow>
  /** Throws `not_found`. */
  get: (id: string) => Promise<IncidentRow>
  /** Changes the named fields. Throws `not_found` and `invalid`. */
  update: (
    id: string,
    named: readonly (keyof IncidentInput)[],
    input: IncidentInput & { status?: IncidentStatus | undefined },
  ) => Promise<IncidentRow>
  remove: (id: string) => Promise<void>
  /** Returns how many entries were newly attached. Throws `not_found` and `invalid`. */
  attach: (id: string, entries: readonly StoredEntry[]) => Promise<{ attached: number; attachedCount: number }>
  detach: (id: string, entryId: string) => Promise<void>
}

export type IncidentsOptions = {
  db: Db
  now: () => number
  /**
   * Runs in the transaction that resolves or deletes an incident, or sets its end: the errors of its source up to that time are settled.
   */
  settled?: (db: Db, incident: IncidentTable, until: number) => Promise<void>
}

const statusEvents: Record<IncidentStatus, string> = {
  open: 'opened',
  acknowledged: 'acknowledged',
  resolved: 'resolved',
}

export const noIncident = (id: string) => serviceError('not_found', `There is no incident "${id}".`)

/** Incidents as rows; a change and its event are one transaction. */
export const createIncidents = ({ db, now, settled = async () => undefined }: IncidentsOptions): Incidents => {
  const required = async (from: Db, id: string): Promise<IncidentRow> => {
    const row = await findIncident(from, id)
    if (!row) throw noIncident(id)
    return row
  }
  return {
    create: async (input) => {
      const at = now()
      const row = newIncident(input, randomUUID(), at)
      await transact(db, async (transaction) => {
        await insertIncident(transaction, row)
        await addEvent(transaction, { incident_id: row.id, kind: 'created', detail: 'Created manually.', at })
      })
      return { ...row, attached_count: 0 }
    },
    get: (id) => required(db, id),
    update: (id, named, input) =>
      transact(db, async (transaction) => {
        const before = await required(transaction, id)
        const at = now()
        const { change, edited, status } = changeIncident(before, named, input, at)
        if (edited.length === 0 && status === undefined) return before
        await updateIncident(transaction, id, change)
        if (edited.length > 0)
          await addEvent(transaction, { incident_id: id, kind: 'edited', detail: `Changed: ${edited.join(', ')}.`, at })
        if (status)
          await addEvent(transaction, {
            incident_id: id,
            kind: statusEvents[status],
            detail: `It was ${before.status}.`,
            at,
          })
        const after = { ...before, ...change }
        // Setting the end acknowledges all errors until now.
        if (status === 'resolved') await settled(transaction, after, at)
        else if (edited.includes('ended_at') && after.ended_at !== null)
          await settled(transaction, after, Math.max(after.ended_at, at))
        return after
      }),
    remove: (id) =>
      transact(db, async (transaction) => {
        const row = await deleteIncident(transaction, id)
        if (!row) throw noIncident(id)
        await settled(transaction, row, now())
      }),
    attach: (id, entries) =>
      transact(db, async (transaction) => {
        const before = await required(transaction, id)
        const at = now()
        const attached = await attachEntries(
          transaction,
          entries.map((entry) => attachable(id, entry, at)),
        )
        const attachedCount = before.attached_count + attached
        if (attachedCount > maxAttached)
          throw invalidField(
            ['body', 'entry_ids'],
            `An incident may have at most ${maxAttached} attached entries; detach some first.`,
          )
        if (attached > 0)
          await addEvent(transaction, {
            incident_id: id,
            kind: 'attached',
            detail: attached === 1 ? 'An entry was attached.' : `${attached} entries were attached.`,
            at,
          })
        return { attached, attachedCount }
      }),
    detach: (id, entryId) =>
      transact(db, async (transaction) => {
        await required(transaction, id)
        if (!(await detachEntry(transaction, id, entryId)))
          throw serviceError('not_found', `The entry "${entryId}" is not attached to this incident.`)
        await addEvent(transaction, {
          incident_id: id,
          kind: 'detached',
          detail: `The entry ${entryId} was removed.`,
          at: now(),
        })
      }),
  }
}
