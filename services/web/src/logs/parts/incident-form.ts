import type { IncidentRest } from '@trellis/protos/edge/client.ts'
import { fromInput, toInput } from './window-inputs.ts'

/** An incident as its fields show it: times are values of inputs, in local time or UTC, and what is not set is empty. */
export type IncidentForm = {
  label: string
  start: string
  end: string
  severity: string
  issueType: string
  notes: string
}

type Incident = Pick<IncidentRest, 'label' | 'notes'> & {
  started_at?: string | null | undefined
  ended_at?: string | null | undefined
  severity?: string | null | undefined
  issue_type?: string | null | undefined
}
type Zone = 'local' | 'utc'

const inputOf = (time: string | null | undefined, zone: Zone): string => (time ? toInput(time, zone) : '')

export const toForm = (incident: Incident, zone: Zone): IncidentForm => ({
  label: incident.label,
  start: inputOf(incident.started_at, zone),
  end: inputOf(incident.ended_at, zone),
  severity: incident.severity ?? '',
  issueType: incident.issue_type ?? '',
  notes: incident.notes,
})

/** The incident of a form. Inputs have whole seconds: a time that was not changed stays to the millisecond what it was. */
export const fromForm = (form: IncidentForm, zone: Zone, before?: Pick<Incident, 'started_at' | 'ended_at'>) => {
  const timeOf = (input: string, known: string | null | undefined) =>
    known && input === inputOf(known, zone) ? known : fromInput(input, zone)
  return {
    label: form.label,
    started_at: timeOf(form.start, before?.started_at),
    ended_at: form.end === '' ? null : timeOf(form.end, before?.ended_at),
    severity: form.severity || null,
    issue_type: form.issueType || null,
    notes: form.notes,
  }
}
