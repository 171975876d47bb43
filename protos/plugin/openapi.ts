import type { DescMessage } from '@bufbuild/protobuf'
import { reachable } from './codec.ts'
import { createExamples, sentFields } from './examples.ts'
import { fieldSchema, type JsonSchema, references, requestSchema, responseSchema } from './json-schema.ts'
import {
  commentOf,
  type FieldModel,
  holdsWritten,
  type ModelReader,
  type RouteModel,
  type ServiceModel,
} from './model.ts'

const statusWords: Record<number, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; the work continues in the background.',
  204: 'Success without content.',
  206: 'The requested part of the content.',
  304: 'Not modified.',
  400: 'The request is malformed.',
  401: 'Credentials are missing or wrong.',
  402: 'The feature needs a higher tier.',
  403: 'Not allowed.',
  404: 'Nothing has this id.',
  405: 'The path does not support this method.',
  408: 'The request did not arrive in time.',
  409: 'The current state does not allow it.',
  412: 'A precondition or a signature does not hold.',
  413: 'The request exceeds a limit.',
  415: 'The content type is not supported.',
  416: 'The byte range lies outside the content.',
  421: 'The server does not serve this Host.',
  422: 'A value is invalid.',
  429: 'Too many requests; Retry-After states when to retry.',
  431: 'The headers or the URL are too long.',
  500: 'Internal server error.',
  502: 'Another server failed or refused the request.',
  503: 'Not configured, or overloaded; then with Retry-After.',
  504: 'Another server did not respond in time.',
}

/** Errors that every route may return before its own code runs: the edge checks framing, host, origin, headers and rate. */
const commonErrors = [400, 403, 408, 421, 429, 431]

const errorResponse = (status: number) => ({
  description: statusWords[status] ?? 'An error.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const sentences = (comment: string) => {
  const [first = ''] = comment.split(/(?<=\.)\s/)
  return { summary: first.replaceAll('\n', ' '), ...(comment === first ? {} : { description: comment }) }
}

const security: Record<RouteModel['access'], Record<string, string[]>[]> = {
  open: [],
  caller: [{}, { sessionCookie: [] }, { sessionHeader: [] }],
  api_key: [{}, { bearer: [] }],
  admin_key: [{ bearer: [] }, { adminKey: [] }],
  branch_key: [{}, { bearer: [] }],
}

const securityOf = ({ access, session }: RouteModel) =>
  access === 'api_key' && session ? [...security.api_key, { logsSession: [] }] : security[access]

export const createOpenApi = (model: ModelReader) => {
  const examples = createExamples(model)
  const requests = createExamples(model, sentFields(model))
  const { answer, input } = references(model)
  /** An empty query parameter counts as absent, so a required one has at least one character. */
  const parameterSchema = (place: string, field: FieldModel): JsonSchema => {
    const schema = fieldSchema(field, input, false)
    const isNeverEmpty = place === 'query' && field.rules.required && schema.type === 'string'
    return isNeverEmpty ? { minLength: 1, ...schema } : schema
  }
  const parameter = (place: string, required: boolean) => (field: FieldModel) => ({
    name: place === 'header' ? (field.options.header ?? field.name) : field.name,
    in: place,
    required: required || field.rules.required,
    ...(field.comment === '' ? {} : { description: field.comment }),
    ...(place === 'query' ? { allowEmptyValue: !field.rules.required } : {}),
    schema: parameterSchema(place, field),
    ...(field.options.example
      ? { example: JSON.parse(field.options.example) }
      : required
        ? { example: examples.ofField(field) }
        : {}),
  })

  /** Example of a streamed body: a value for JSON and forms, the text itself for plain text; for NDJSON, one entry per line. */
  const bodyExample = ({ example }: RouteModel, mediaType: string): unknown => {
    if (example === '') return ''
    const value = JSON.parse(example)
    if (mediaType === 'text/plain') return example
    return mediaType === 'application/x-ndjson' ? value.entries.map(JSON.stringify).join('\n') : value
  }

  const requestBody = (route: RouteModel) => {
    if (route.stream === 'multipart') {
      const fields = Object.fromEntries(route.formFields.map((field) => [field.name, fieldSchema(field, input, false)]))
      const schema = {
        type: 'object',
        properties: {
          file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The content.' },
          ...fields,
        },
        required: ['file'],
      }
      const example = { file: 'The content of the file.', ...requests.ofFields(route.formFields) }
      return { requestBody: { required: true, content: { 'multipart/form-data': { schema, example } } } }
    }
    if (route.stream === 'body') {
      const content = Object.fromEntries(
        route.mediaTypes.map((mediaType) => [mediaType, { schema: {}, example: bodyExample(route, mediaType) }]),
      )
      return { requestBody: { required: true, content } }
    }
    if (!route.hasBody) return {}
    const schema: JsonSchema = requestSchema(route.bodyFields, input)
    const example = requests.ofFields(route.bodyFields)
    return {
      requestBody: {
        required: route.bodyFields.some((field) => field.rules.required),
        content: { 'application/json': { schema, example } },
      },
    }
  }

  const eventFields = (route: RouteModel) =>
    model.fieldsOf(route.response).filter((field) => field.oneof !== undefined && !holdsWritten(field))

  /** Each event as its fields (WHATWG HTML, section 9.2); `x-events` has the schema of the JSON in `data`. */
  const eventStream = (route: RouteModel) => {
    const [first] = eventFields(route)
    const data = first && examples.ofField(first)
    return {
      schema: {
        type: 'object',
        properties: {
          event: { type: 'string' },
          data: { type: 'string' },
          id: { type: 'string' },
          retry: { type: 'integer', minimum: 0 },
        },
      },
      ...(first ? { example: { event: eventName(first), data: JSON.stringify(data) } } : {}),
    }
  }

  const content = (route: RouteModel) => {
    if (route.stream === 'sse') {
      const events = Object.fromEntries(
        eventFields(route).map((field) => [eventName(field), fieldSchema(field, answer, false)]),
      )
      return { content: { 'text/event-stream': { ...eventStream(route), 'x-events': events } } }
    }
    if (route.stream === 'bytes') {
      const types = route.mediaTypes.length > 0 ? route.mediaTypes : ['application/octet-stream']
      return {
        content: Object.fromEntries(
          types.map((type) => [
            type,
            type === 'application/json' && route.example !== ''
              ? { schema: { type: 'object' }, example: JSON.parse(route.example) }
              : {
                  schema: { type: 'string', contentMediaType: type },
                  ...(route.example === '' ? {} : { example: route.example }),
                },
          ]),
        ),
      }
    }
    if (route.status === 204) return {}
    return {
      content: {
        'application/json': { schema: answer(route.response), example: examples.ofMessage(route.response) },
      },
    }
  }

  const errorsOf = (route: RouteModel): number[] => {
    const errors = new Set([...commonErrors, ...route.errors])
    if (route.access !== 'open' && route.access !== 'caller') errors.add(401)
    if (route.access === 'caller') errors.add(401)
    if (route.hasBody || route.stream === 'multipart' || route.stream === 'body')
      for (const status of [413, 415]) errors.add(status)
    if (route.stream === 'bytes') errors.add(416)
    if (route.stream === 'bytes' && route.method === 'GET') errors.add(412)
    // API routes reject unknown query parameters and body keys, even if they have none themselves.
    const refusesUnknown = route.hasBody || (route.access !== 'open' && route.path.includes('/api/'))
    const hasInput = [route.pathFields, route.queryFields, route.bodyFields, route.formFields].some(
      (fields) => fields.length > 0,
    )
    if (hasInput || refusesUnknown) errors.add(422)
    if (route.pathFields.length > 0) errors.add(404)
    if (route.access !== 'open') errors.add(503)
    return [...errors].toSorted((a, b) => a - b)
  }

  const operation = (route: RouteModel, service: ServiceModel) => {
    const parameters = [
      ...route.pathFields.map(parameter('path', true)),
      ...route.queryFields.map(parameter('query', false)),
      ...route.headerFields.filter(({ options }) => !options.cookie).map(parameter('header', false)),
    ]
    const successes = [
      route.status,
      ...route.also,
      ...(route.stream === 'bytes' && route.method === 'GET' ? [206, 304] : []),
    ]
    return {
      operationId: `${service.mount.slice(1)}_${route.rpc}`,
      tags: [service.title],
      ...sentences(route.comment),
      security: securityOf(route),
      ...(parameters.length > 0 ? { parameters } : {}),
      ...requestBody(route),
      responses: {
        ...Object.fromEntries(
          [...new Set(successes)].map((status) => [
            status,
            { description: statusWords[status] ?? 'Success.', ...(status === 304 ? {} : content(route)) },
          ]),
        ),
        ...Object.fromEntries(errorsOf(route).map((status) => [status, errorResponse(status)])),
      },
    }
  }

  const schemas = (services: ServiceModel[]) => {
    const routes = services.flatMap((service) => service.routes)
    const answers = routes
      .filter((route) => route.stream !== 'bytes')
      .flatMap((route) => {
        if (route.stream !== 'sse') return route.status === 204 ? [] : [route.response]
        return eventFields(route).flatMap((field) => (field.shape.kind === 'message' ? [field.shape.of] : []))
      })
    const inputs = routes.flatMap((route) =>
      [...route.bodyFields, ...route.queryFields].flatMap((field) =>
        field.shape.kind === 'message' ? [field.shape.of] : [],
      ),
    )
    const named = (messages: DescMessage[], suffix: string, write: (message: DescMessage) => JsonSchema) =>
      Object.fromEntries(
        reachable(messages, model).map((message) => [`${model.names.of(message)}${suffix}`, write(message)]),
      )
    return {
      ...named(answers, '', (message) => responseSchema(model.fieldsOf(message), answer, commentOf(message))),
      ...named(inputs, 'Input', (message) => requestSchema(model.fieldsOf(message), input)),
      Error: {
        type: 'object',
        description: 'What went wrong, as a sentence; for 422 the invalid fields, each with its location.',
        properties: {
          detail: {
            anyOf: [
              { type: 'string' },
              {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    loc: { type: 'array', items: { type: ['string', 'integer'] } },
                    msg: { type: 'string' },
                    type: { type: 'string' },
                  },
                  required: ['loc', 'msg', 'type'],
                },
              },
              { type: 'object' },
            ],
          },
        },
        required: ['detail'],
      },
    }
  }

  return (services: ServiceModel[]) => {
    const paths: Record<string, Record<string, unknown>> = {}
    for (const service of services) {
      for (const route of service.routes) {
        paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, service) }
      }
    }
    return {
      openapi: '3.1.0',
      info: {
        title: 'Trellis',
        version: '0.1.0',
        description: 'Listings, logs and music: three services you host yourself.',
      },
      servers: [{ url: '/' }],
      tags: services.map(({ title, comment, mount, version }) => ({
        name: title,
        description: comment,
        'x-mount': mount,
        'x-version': version,
      })),
      paths,
      components: {
        schemas: schemas(services),
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          adminKey: { type: 'apiKey', in: 'header', name: 'X-Admin-Key' },
          logsSession: { type: 'apiKey', in: 'cookie', name: 'logs_session' },
          sessionCookie: { type: 'apiKey', in: 'cookie', name: 'gateway_session' },
          sessionHeader: { type: 'apiKey', in: 'header', name: 'X-Gateway-Session' },
        },
      },
    }
  }
}

export const eventName = (field: FieldModel): string => field.options.event || field.name
