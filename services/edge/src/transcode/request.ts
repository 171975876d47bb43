import { failure } from '@trellis/kit/errors'
import type { Route } from '@trellis/protos/edge/routes.ts'
import type { FastifyRequest } from 'fastify'
import { textValues } from './text-values.ts'
import { check } from './validation.ts'

type Bag = Record<string, unknown>

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value)

const bodyOf = (body: unknown): Bag => {
  if (body === undefined || body === null) return {}
  if (isBag(body)) return body
  throw failure('malformed', 'The body must be a JSON object.')
}

const headerValues = (fields: Record<string, string>, request: FastifyRequest): Bag => {
  const values: Bag = {}
  for (const name in fields) {
    const value = request.headers[fields[name] ?? '']
    if (value !== undefined) values[name] = value
  }
  return values
}

/** Makes the reader of a route's requests: path, query, headers and body into one generated message, or a failure that says what is wrong where. */
export const requestReader = (route: Route) => {
  const checkPath = check('path', route.schema.params)
  const checkQuery = check('query', route.schema.query)
  const checkBody = check('body', route.schema.body)
  const hasQuery = route.schema.query !== undefined

  return (request: FastifyRequest): unknown => {
    const path = textValues(route.pathFields, request.params as Bag)
    const query = hasQuery
      ? textValues(route.queryFields, { ...(request.query as Bag), ...headerValues(route.headerFields, request) })
      : undefined
    const body = route.hasBody ? bodyOf(request.body) : undefined
    const wrong = checkPath(path) ?? (query && checkQuery(query)) ?? (body && checkBody(body))
    if (wrong) throw wrong
    const mask = route.masked && body ? { update_mask: Object.keys(body) } : undefined
    return route.fromRest({ ...query, ...body, ...path, ...mask })
  }
}
