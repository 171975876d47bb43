import { invalidField } from '@trellis/kit/errors'
import { severities } from '../entries/severity-code.ts'
import { readMoment } from '../search/read-request.ts'
import type { IncidentTable } from './tables.ts'

export const incidentStatuses = ['open', 'acknowledged', 'resolved'] as const
export type IncidentStatus = (typeof incidentStatuses)[number]

/** The editable fields of an incident. An absent field is unchanged, or has its default in a new incident; null clears it. */
export type IncidentInput = {
  label?: string | null | undefined
  startedAt?: string | null | undefined
  endedAt?: string | null | undefined
  notes?: string | null | undefined
  severity?: string | null | undefined
  issueType?: string | null | undefined
  query?: string | null | undefined
  sourceId?: string | null | undefined
}

type Text = string | null | undefined
type Fields = Pick<
  IncidentTable,
  'label' | 'started_at' | 'ended_at' | 'notes' | 'severity' | 'issue_type' | 'query' | 'source_id'
>

const blankToNull = (text: Text): string | null => (text?.trim() ? text : null)

export const readSeverity = (text: Text, place: 'body' | 'query' = 'body'): string | null => {
  if (!text?.trim()) return null
  const severity = severities.find((known) => known === text.trim().toUpperCase())
  if (!severity) throw invalidField([place, 'severity'], `"${text}" is not a severity: use CRITICAL, ERROR or WARN.`)
  return severity
}

const readLabel = (text: Text): string => {
  const label = text?.trim() ?? ''
  if (label === '') throw invalidField(['body', 'label'], 'label must not be empty.')
  return label
}

/** Converts a field of the request to columns. */
const readers: { [Name in keyof IncidentInput]-?: (text: Text, now: number) => Partial<Fields> } = {
  label: (text) => ({ label: readLabel(text) }),
  startedAt: (text, now) => ({ started_at: text ? readMoment('started_at', text, 'body') : now }),
  endedAt: (text) => ({ ended_at: text ? readMoment('ended_at', text, 'body') : null }),
  notes: (text) => ({ notes: text ?? '' }),
  severity: (text) => ({ severity: readSeverity(text) }),
  issueType: (text) => ({ issue_type: text?.trim() ?? '' }),
  query: (text) => ({ query: blankToNull(text) }),
  sourceId: (text) => ({ source_id: blankToNull(text) }),
}

const readNames = Object.keys(readers) as (keyof IncidentInput)[]

/** Throws `invalid` for an end before the start. */
const checkWindow = ({ started_at, ended_at }: Pick<IncidentTable, 'started_at' | 'ended_at'>): void => {
  if (ended_at !== null && ended_at < started_at)
    throw invalidField(['body', 'ended_at'], 'The end must not be before the start.')
}

/** A new incident. Throws `invalid`. */
export const newIncident = (input: IncidentInput, id: string, now: number): IncidentTable => {
  const fields: Fields = {
    label: '',
    started_at: now,
    ended_at: null,
    notes: '',
    severity: null,
    issue_type: '',
    query: null,
    source_id: null,
  }
  for (const name of readNames) Object.assign(fields, readers[name](input[name], now))
  checkWindow(fields)
  return {
    ...fields,
    id,
    status: 'open',
    is_automatic: 0,
    is_start_set: 1,
    is_end_set: 1,
    error_count: 0,
    created_at: now,
    updated_at: now,
    acknowledged_at: null,
    resolved_at: null,
  }
}

export type IncidentChange = {
  change: Partial<IncidentTable>
  /** Names of changed columns, except the status. */
  edited: string[]
  /** The new status, if it changes. */
  status: IncidentStatus | undefined
}

/** The change that a request makes to the fields it names. Throws `invalid`. */
export const changeIncident = (
  before: IncidentTable,
  named: readonly (keyof IncidentInput)[],
  input: IncidentInput & { status?: IncidentStatus | undefined },
  now: number,
): IncidentChange => {
  const read: Partial<Fields> = {}
  for (const name of named) Object.assign(read, readers[name](input[name], now))
  const edited = Object.entries(read)
    .filter(([column, value]) => value !== before[column as keyof Fields])
    .map(([column]) => column)
  checkWindow({ ...before, ...read })
  const status = input.status === before.status ? undefined : input.status
  if (edited.length === 0 && status === undefined) return { change: {}, edited, status }
  return {
    change: {
      ...read,
      ...(edited.includes('started_at') && { is_start_set: 1 }),
      ...(edited.includes('ended_at') && { is_end_set: 1 }),
      ...(status && {
        status,
        ...(status === 'acknowledged' && { acknowledged_at: now }),
        resolved_at: status === 'resolved' ? now : null,
      }),
      updated_at: now,
    },
    edited,
    status,
  }
}
