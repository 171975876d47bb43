import { failure } from '@trellis/kit/errors'
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
    if (!severity) throw failure('invalid', `"${part.trim()}" is no severity: CRITICAL, ERROR, WARN or none.`)
    return severity
  })

const readDomain = (text: string): string[] => {
  const domain = domains.find((known) => known === text)
  if (!domain) throw failure('invalid', `"${text}" is no domain: ${domains.join(', ')}.`)
  return tagsOfDomain(domain)
}

/** Epoch milliseconds of an ISO 8601 time; without a zone it is UTC. */
export const readMoment = (name: string, text: string): number => {
  const isWritten = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i.test(text)
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10))
  const time = isWritten ? Date.parse(text.length > 10 && !hasZone ? `${text}Z` : text) : Number.NaN
  if (Number.isNaN(time))
    throw failure('invalid', `${name} must be a time such as 2026-03-01T09:15:02Z, but is "${text}".`)
  return time
}

/** Throws `invalid` for values that are not allowed. */
export const readFilters = (parameters: FilterParameters): Filters => ({
  ...(given(parameters.source) && { source: parameters.source }),
  ...(given(parameters.severity) && { severities: readSeverities(parameters.severity) }),
  ...(given(parameters.domain) && { anyPattern: readDomain(parameters.domain) }),
  ...(given(parameters.since) && { since: readMoment('since', parameters.since) }),
  ...(given(parameters.until) && { until: readMoment('until', parameters.until) }),
  ...(given(parameters.pattern) && { pattern: parameters.pattern }),
  ...(given(parameters.template) && { anyTemplate: [parameters.template] }),
  ...(given(parameters.tenant) && { tenant: parameters.tenant }),
  ...(given(parameters.branch) && { branch: parameters.branch }),
})
