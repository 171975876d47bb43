import { invalidField } from '@trellis/kit/errors'
import { type Severity, severities } from '../entries/severity-code.ts'
import { tagsOfDomain } from '../patterns/in-force.ts'
import { domains } from '../patterns/pattern.ts'
import type { Filters } from './filters.ts'

type Text = string | null | undefined

/** Filters as they come in a request. */
export type FilterParameters = {
  source?: Text
  severity?: Text
  domain?: Text
  since?: Text
  until?: Text
  pattern?: Text
  template?: Text
  tenant?: Text
  branch?: Text
}

const given = (text: Text): text is string => text !== undefined && text !== null && text !== ''

const readSeverities = (text: string): (Severity | null)[] =>
  text.split(',').map((part) => {
    if (part.trim().toLowerCase() === 'none') return null
    const severity = severities.find((known) => known === part.trim().toUpperCase())
    if (!severity)
      throw invalidField(['query', 'severity'], `"${part.trim()}" is no severity: CRITICAL, ERROR, WARN or none.`)
    return severity
  })

const readDomain = (text: string): string[] => {
  const domain = domains.find((known) => known === text)
  if (!domain) throw invalidField(['query', 'domain'], `"${text}" is no domain: ${domains.join(', ')}.`)
  return tagsOfDomain(domain)
}

/** Where in a request a value stands. */
export type RequestPart = 'query' | 'body'

/** A day that no month has would be read as one of the next. */
const isDay = (date: string): boolean => new Date(`${date}T00:00:00Z`).getUTCDate() === Number(date.slice(8))

/** Epoch milliseconds of an ISO 8601 time; without a zone it is UTC. Throws `invalid`. */
export const readMoment = (name: string, text: string, part: RequestPart = 'query'): number => {
  const isWritten = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i.test(text)
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10))
  const time = isWritten ? Date.parse(text.length > 10 && !hasZone ? `${text}Z` : text) : Number.NaN
  if (Number.isNaN(time) || !isDay(text.slice(0, 10)))
    throw invalidField([part, name], `${name} must be a time such as 2026-03-01T09:15:02Z, but is "${text}".`)
  return time
}

/** The moments that a request names. Throws `invalid`, also where they are the wrong way round. */
export const readWindow = (
  { since, until }: { since?: Text; until?: Text },
  part: RequestPart = 'query',
): { since?: number; until?: number } => {
  const window = {
    ...(given(since) && { since: readMoment('since', since, part) }),
    ...(given(until) && { until: readMoment('until', until, part) }),
  }
  if (window.since !== undefined && window.until !== undefined && window.since > window.until)
    throw invalidField([part, 'since'], 'since must not be after until.')
  return window
}

/** Throws `invalid` for values that are not allowed. */
export const readFilters = (parameters: FilterParameters): Filters => ({
  ...(given(parameters.source) && { source: parameters.source }),
  ...(given(parameters.severity) && { severities: readSeverities(parameters.severity) }),
  ...(given(parameters.domain) && { anyPattern: readDomain(parameters.domain) }),
  ...readWindow(parameters),
  ...(given(parameters.pattern) && { pattern: parameters.pattern }),
  ...(given(parameters.template) && { anyTemplate: [parameters.template] }),
  ...(given(parameters.tenant) && { tenant: parameters.tenant }),
  ...(given(parameters.branch) && { branch: parameters.branch }),
})
