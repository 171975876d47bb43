import { invalidField } from '@trellis/kit/errors'
import { type Severity, severities } from '../entries/severity-code.ts'
import { tagsOfDomain } from '../patterns/active-patterns.ts'
import { domains } from '../patterns/pattern.ts'
import type { Filters } from './filters.ts'

type Text = string | null | undefined

/** Filters as received in a request. */
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

const isSet = (text: Text): text is string => text !== undefined && text !== null && text !== ''

const readSeverities = (text: string): (Severity | null)[] =>
  text.split(',').map((part) => {
    if (part.trim().toLowerCase() === 'none') return null
    const severity = severities.find((known) => known === part.trim().toUpperCase())
    if (!severity)
      throw invalidField(['query', 'severity'], `"${part.trim()}" is no severity: use CRITICAL, ERROR, WARN or none.`)
    return severity
  })

const readDomains = (name: string, text: string): string[] =>
  readList(name, text).flatMap((word) => {
    const domain = domains.find((known) => known === word)
    if (!domain) throw invalidField(['query', name], `"${word}" is no domain: use ${domains.join(', ')}.`)
    return tagsOfDomain(domain)
  })

/** Maximum number of values of a list. */
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

/** The sources of a list; the whole text is one of them, because ids may contain commas. */
const readSources = (name: string, text: string): string[] => [...new Set([text, ...readList(name, text)])]

const readSource = (text: string): Pick<Filters, 'source' | 'anySource'> =>
  text.includes(',') ? { anySource: readSources('source', text) } : { source: text }

/** The part of a request that contains a value. */
export type RequestPart = 'query' | 'body'

/** Rejects days that do not exist, which would be read as days of the next month. */
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

/** The time window of a request. Throws `invalid`, also if since is after until. */
export const readWindow = (
  { since, until }: { since?: Text; until?: Text },
  part: RequestPart = 'query',
): { since?: number; until?: number } => {
  const window = {
    ...(isSet(since) && { since: readMoment('since', since, part) }),
    ...(isSet(until) && { until: readMoment('until', until, part) }),
  }
  if (window.since !== undefined && window.until !== undefined && window.since > window.until)
    throw invalidField([part, 'since'], 'since must not be after until.')
  return window
}

/** Throws `invalid` for values that are not allowed. */
export const readFilters = (parameters: FilterParameters): Filters => ({
  ...(isSet(parameters.source) && readSource(parameters.source)),
  ...(isSet(parameters.notSource) && { notSource: readSources('not_source', parameters.notSource) }),
  ...(isSet(parameters.severity) && { severities: readSeverities(parameters.severity) }),
  ...(isSet(parameters.domain) && { anyPattern: readDomains('domain', parameters.domain) }),
  ...(isSet(parameters.notDomain) && { notPattern: readDomains('not_domain', parameters.notDomain) }),
  ...readWindow(parameters),
  ...(isSet(parameters.pattern) && { pattern: parameters.pattern }),
  ...(isSet(parameters.template) && { anyTemplate: readList('template', parameters.template) }),
  ...(isSet(parameters.notTemplate) && { notTemplate: readList('not_template', parameters.notTemplate) }),
  ...(isSet(parameters.tenant) && { tenant: parameters.tenant }),
  ...(isSet(parameters.branch) && { branch: parameters.branch }),
})
