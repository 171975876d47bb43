import { serviceError } from '@trellis/kit/errors'
import type { Route } from '@trellis/protos/edge/routes.ts'
import type { FastifyRequest } from 'fastify'
import { multipartParts } from './multipart.ts'

const mediaTypeOf = (request: FastifyRequest) =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

async function* bodyChunks(request: FastifyRequest) {
  // The request is not destroyed when the reader returns: the rest must be read before the connection can be reused.
  for await (const chunk of request.raw.iterator({ destroyOnReturn: false }))
    yield { $case: 'chunk' as const, value: chunk as Uint8Array }
}

/** Form fields that were sent in the query instead, as if they came first in the form. */
const queryFields = (route: Route, request: FastifyRequest) => {
  const query = request.query as Record<string, unknown>
  return route.formFields.flatMap((name) => {
    const value = query[name]
    return typeof value === 'string' && value !== '' ? [{ $case: 'field', value: { name, value } }] : []
  })
}

/** The messages of a MULTIPART or BODY method: its parameters first, then the parts as they arrive. Throws 415 before it reads anything. */
export const uploadMessages = (route: Route, request: FastifyRequest, parameters: unknown): AsyncIterable<unknown> => {
  const mediaType = mediaTypeOf(request)
  if (route.stream === 'multipart' && mediaType !== 'multipart/form-data') {
    throw serviceError('unsupported_media', 'Send the file as a multipart form (Content-Type: multipart/form-data).')
  }
  if (route.stream === 'body' && !route.mediaTypes.includes(mediaType)) {
    throw serviceError('unsupported_media', `Send the body as ${route.mediaTypes.join(' or ')}.`)
  }
  async function* messages() {
    yield { part: { $case: 'parameters', value: parameters } }
    for (const part of queryFields(route, request)) yield { part }
    for await (const part of route.stream === 'multipart' ? multipartParts(request) : bodyChunks(request))
      yield { part }
  }
  return messages()
}
