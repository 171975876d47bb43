import { serviceError } from '@trellis/kit/errors'
import type { Route } from '@trellis/protos/edge/routes.ts'
import type { FastifyRequest } from 'fastify'
import { textReader } from './text-values.ts'
import { check, checkNames } from './validation.ts'

type Bag = Record<string, unknown>

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value)

const bodyOf = (body: unknown): Bag => {
  if (body === undefined) return {}
  if (isBag(body)) return body
  throw serviceError('malformed', 'The body must be a JSON object.')
}

/** The parameters that this request sends as headers. They take precedence over those of the query. */
const parametersInHeaders = (fields: Record<string, string>, { headers }: FastifyRequest): Bag => {
  const values: Bag = {}
  for (const name in fields) {
    const value = headers[fields[name] ?? '']
    if (value !== undefined) values[name] = value
  }
  return values
}

/** All of it as one object. The names are apart, so it may be gathered in whichever is our own. */
const joined = (path: Bag, query: Bag | undefined, body: Bag | undefined): Bag => {
  if (body) return { ...query, ...body, ...path }
  return query ? Object.assign(query, path) : path
}

/**
 * Whether a route refuses query parameters that it does not know: a filter that is silently dropped shows its sender everything. What is open to
 * all is called by probes and by marketplaces, which add parameters of their own.
 */
const refusesUnknown = ({ access, path }: Route): boolean => access !== 'open' && path.includes('/api/')

/** Makes the reader of a route's requests: path, query, headers and body into one generated message, or a failure that says what is wrong where. */
export const requestReader = (route: Route) => {
  const checkPath = check('path', route.schema.params)
  const checkQuery = check('query', route.schema.query)
  const checkBody = check('body', route.schema.body)
  const readPath = textReader(route.pathFields)
  const readQuery = textReader(route.queryFields)
  const hasQuery = route.schema.query !== undefined
  const knownNames = new Set([...Object.keys(route.queryFields), ...route.formFields])
  const checkQueryNames = refusesUnknown(route) ? checkNames(knownNames) : undefined
  const hasHeaders = Object.keys(route.headerFields).length > 0

  return (request: FastifyRequest): unknown => {
    const path = readPath(request.params as Bag)
    const inQuery = hasQuery ? readQuery(request.query as Bag) : undefined
    const inHeaders = hasHeaders ? readQuery(parametersInHeaders(route.headerFields, request)) : undefined
    const query = inHeaders ? { ...inQuery, ...inHeaders } : inQuery
    const body = route.hasBody ? bodyOf(request.body) : undefined
    const wrong =
      checkPath(path) ??
      checkQueryNames?.(request.query) ??
      // A parameter of the query must be valid even where a header takes its place.
      (inHeaders && checkQuery({ ...inHeaders, ...inQuery })) ??
      (query && checkQuery(query)) ??
      (body && checkBody(body))
    if (wrong) throw wrong
    if (route.masked && body) return route.fromRest({ ...query, ...body, ...path, update_mask: Object.keys(body) })
    return route.fromRest(joined(path, query, body))
  }
}
