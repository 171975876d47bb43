import { invalidField } from '@trellis/kit/errors'
import { type Severity, severities } from '../entries/severity-code.ts'
import { tagsOfDomain } from '../patterns/in-force.ts'
import { domains } from '../patterns/pattern.ts'
import type { Filters } from './filters.ts'

type Text = string | null | undefined

/** Filters as they come in a request. */
export type FilterParameters = {
  source?: Text
  notSource?: Text
  severity?: Text
  domain?: Text
  notDomain?: Text
  since?: Text
  until?: Text
  pattern?: Text
  template?: Text
  notTemplate?: Text
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

const readDomains = (name: string, text: string): string[] =>
  readList(name, text).flatMap((word) => {
    const domain = domains.find((known) => known === word)
    if (!domain) throw invalidField(['query', name], `"${word}" is no domain: ${domains.join(', ')}.`)
    return tagsOfDomain(domain)
  })

/** Most values that a list in a filter may have. */
const maxListed = 100

/** The values of a comma-separated list. */
const readList = (name: string, text: string): string[] => {
  const values = text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '')
  if (values.length > maxListed) throw invalidField(['query', name], `${name} takes at most ${maxListed} values.`)
  return values
}

/** Sources of a list; the whole text is one, too, because ids may contain commas. */
const readSources = (name: string, text: string): string[] => [...new Set([text, ...readList(name, text)])]

const readSource = (text: string): Pick<Filters, 'source' | 'anySource'> =>
  text.includes(',') ? { anySource: readSources('source', text) } : { source: text }

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
  ...(given(parameters.source) && readSource(parameters.source)),
  ...(given(parameters.notSource) && { notSource: readSources('not_source', parameters.notSource) }),
  ...(given(parameters.severity) && { severities: readSeverities(parameters.severity) }),
  ...(given(parameters.domain) && { anyPattern: readDomains('domain', parameters.domain) }),
  ...(given(parameters.notDomain) && { notPattern: readDomains('not_domain', parameters.notDomain) }),
  ...readWindow(parameters),
  ...(given(parameters.pattern) && { pattern: parameters.pattern }),
  ...(given(parameters.template) && { anyTemplate: readList('template', parameters.template) }),
  ...(given(parameters.notTemplate) && { notTemplate: readList('not_template', parameters.notTemplate) }),
  ...(given(parameters.tenant) && { tenant: parameters.tenant }),
  ...(given(parameters.branch) && { branch: parameters.branch }),
})
