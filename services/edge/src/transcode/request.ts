import { type ServiceError, serviceError } from '@trellis/kit/errors'
import type { Route } from '@trellis/protos/edge/routes.ts'
import type { FastifyRequest } from 'fastify'
import { cookieOf } from '../identity/cookies.ts'
import { textReader } from './text-values.ts'
import { check, checkNames } from './validation.ts'

type Bag = Record<string, unknown>

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value)

const bodyOf = (body: unknown): Bag => {
  if (body === undefined) return {}
  if (isBag(body)) return body
  throw serviceError('malformed', 'The body must be a JSON object.')
}

/** Whether a field of the route's request is read from the header. */
export const readsHeader = ({ headerFields }: Pick<Route, 'headerFields'>, name: string): boolean =>
  Object.values(headerFields).some(({ header }) => header === name)

/** Creates the reader of the parameters that a request sends as headers; undefined for a route without any. */
const headerReader = (fields: Route['headerFields']) => {
  const named = Object.entries(fields)
  if (named.length === 0) return undefined
  const read = textReader(Object.fromEntries(named.map(([name, { kind }]) => [name, kind])))
  return ({ headers }: FastifyRequest): Bag => {
    const values: Bag = {}
    for (const [name, { header, cookie }] of named)
      values[name] = cookie === undefined ? headers[header] : cookieOf(headers.cookie, cookie)
    return read(values)
  }
}

/** Attributes what is wrong with parameters that are not in the query to the headers in which they are sent. */
const attributed = (wrong: ServiceError | undefined, fields: Route['headerFields'], inQuery: Bag = {}) => {
  if (!wrong || !Array.isArray(wrong.detail)) return wrong
  const detail = wrong.detail.map((field) => {
    const name = String(field.loc[1])
    const header = name in inQuery ? undefined : fields[name]?.header
    return header === undefined ? field : { ...field, loc: ['header', header] }
  })
  return serviceError(wrong.kind, detail)
}

/** Merges path, query and body. Their names are disjoint, so the result may reuse `query`, which we created. */
const joined = (path: Bag, query: Bag | undefined, body: Bag | undefined): Bag => {
  if (body) return { ...query, ...body, ...path }
  return query ? Object.assign(query, path) : path
}

/**
 * Whether a route rejects unknown query parameters, because a misspelt filter that is silently dropped would return everything. Open routes
 * accept them, because probes and marketplaces add their own parameters.
 */
const refusesUnknown = ({ access, path }: Route): boolean => access !== 'open' && path.includes('/api/')

/**
 * Returns the parameters in the body of a route that has none of its own. They count as those of the query, because dropping
 * `{"sanitize": true}` silently would send unmasked data. A parameter of the query takes precedence.
 */
const parametersInBody = (body: unknown): Bag | undefined =>
  isBag(body) && Object.keys(body).length > 0 ? body : undefined

const encodedBytes = /(?:%[89a-f][0-9a-f])+/gi

/** Throws if bytes beyond ASCII in a query are not UTF-8: they would be searched for as U+FFFD. */
const checkEncoding = (url: string): void => {
  for (const [bytes] of url.slice(url.indexOf('?')).matchAll(encodedBytes)) {
    try {
      decodeURIComponent(bytes)
    } catch (cause) {
      throw serviceError('malformed', 'The query is not valid UTF-8: characters must be encoded in UTF-8.', { cause })
    }
  }
}

/** Creates the reader of a route's requests: path, query, headers and body become one generated message, or it throws the invalid fields. */
export const requestReader = (route: Route) => {
  const checkPath = check('path', route.schema.params)
  const checkQuery = check('query', route.schema.query)
  const checkBody = check('body', route.schema.body)
  const checkParameters = check('body', route.schema.query)
  const readPath = textReader(route.pathFields)
  const readQuery = textReader(route.queryFields)
  const hasQuery = route.schema.query !== undefined
  const hasParameters = Object.keys(route.queryFields).length > 0
  const readsParameters = hasParameters && !route.hasBody && route.stream === 'none' && refusesUnknown(route)
  const knownNames = new Set([...Object.keys(route.queryFields), ...route.formFields])
  const checkQueryNames = refusesUnknown(route) ? checkNames(knownNames) : undefined
  const readHeaders = headerReader(route.headerFields)

  return (request: FastifyRequest): unknown => {
    if (checkQueryNames && request.url.includes('%')) checkEncoding(request.url)
    const path = readPath(request.params as Bag)
    const inBody = readsParameters ? parametersInBody(request.body) : undefined
    const inQuery = hasQuery ? { ...inBody, ...readQuery(request.query as Bag) } : undefined
    const headers = readHeaders?.(request)
    // A header takes precedence over the query.
    const query = headers ? { ...inQuery, ...headers } : inQuery
    const body = route.hasBody ? bodyOf(request.body) : undefined
    const wrong =
      checkPath(path) ??
      checkQueryNames?.(request.query) ??
      (inBody && checkParameters(inBody)) ??
      // A query parameter must be valid even if a header overrides it.
      (headers && attributed(checkQuery({ ...headers, ...inQuery }), route.headerFields, inQuery)) ??
      (query && attributed(checkQuery(query), route.headerFields)) ??
      (body && checkBody(body))
    if (wrong) throw wrong
    if (route.masked && body) return route.fromRest({ ...query, ...body, ...path, update_mask: Object.keys(body) })
    return route.fromRest(joined(path, query, body))
  }
}
