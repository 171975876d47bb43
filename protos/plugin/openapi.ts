import type { DescMessage } from '@bufbuild/protobuf'
import { reachable } from './codec.ts'
import type { Examples } from './examples.ts'
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
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted; the work goes on in the background.',
  204: 'Done; there is nothing to say.',
  206: 'The part of the content that was asked for.',
  400: 'The request cannot be read as what it claims to be.',
  401: 'No credentials, or wrong ones.',
  402: 'The feature needs a higher tier.',
  403: 'Not allowed.',
  404: 'Nothing has that id.',
  405: 'The path exists, not with that method.',
  408: 'The request did not arrive in time.',
  409: 'The state it is in does not allow it.',
  413: 'More than the limit allows.',
  415: 'Content of a type that is not taken here.',
  416: 'The byte range lies outside the content.',
  421: 'The Host is not one that this server answers for.',
  422: 'A value is not allowed.',
  429: 'Too many requests; Retry-After says when to try again.',
  431: 'The headers, or the address, are longer than this server takes.',
  500: 'A fault of the server.',
  502: 'Another server failed or refused.',
  503: 'Not configured, or overloaded; then with Retry-After.',
  504: 'Another server took too long.',
}

/** What every route may answer before its own code runs: the edge checks framing, host, origin, headers and rate. */
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

export const createOpenApi = (model: ModelReader, examples: Examples) => {
  const { answer, input } = references(model)
  /** An empty query parameter counts as absent, so a required one has a character at least. */
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

  /** What a streamed body may hold: a value where it is JSON or a form, else its text; as NDJSON, its entries a line each. */
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
      const example = { file: 'The content of the file.', ...examples.ofFields(route.formFields) }
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
    const example = examples.ofFields(route.bodyFields)
    return {
      requestBody: {
        required: route.bodyFields.some((field) => field.rules.required),
        content: { 'application/json': { schema, example } },
      },
    }
  }

  const eventFields = (route: RouteModel) =>
    model.fieldsOf(route.response).filter((field) => field.oneof !== undefined && !holdsWritten(field))

  /** Each event as its fields (WHATWG HTML, section 9.2); `data` is the text of what `x-events` gives the schema of. */
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
              : { schema: { type: 'string', contentMediaType: type } },
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
    // Routes of the API refuse query parameters and keys of a body that they do not know, also those that know none.
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
      ...route.headerFields.map(parameter('header', false)),
    ]
    const successes = [
      route.status,
      ...route.also,
      ...(route.stream === 'bytes' && route.method === 'GET' ? [206] : []),
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
            { description: statusWords[status] ?? 'Done.', ...content(route) },
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
        description: 'What went wrong, in words for a person; for 422 the faulty fields, each with where it is.',
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
