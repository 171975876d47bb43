import { inlineRequestSchema } from './json-schema.ts'
import { type FieldModel, holdsWritten, type ModelReader, type RouteModel, type ServiceModel } from './model.ts'
import { eventName } from './openapi.ts'

/** How the text of a path, query or header becomes a value before validation. */
const textKind = (field: FieldModel): string => {
  const { kind } = field.shape
  const single =
    kind === 'number' || kind === 'int32' || kind === 'int64' ? 'number' : kind === 'boolean' ? 'boolean' : 'string'
  return field.repeated ? `${single}[]` : single
}

const kinds = (fields: FieldModel[]) => Object.fromEntries(fields.map((field) => [field.name, textKind(field)]))

const headers = (fields: FieldModel[]) =>
  Object.fromEntries(
    fields.map((field) => {
      const { header, cookie } = field.options
      return [field.name, { ...(cookie ? { header: 'cookie', cookie } : { header }), kind: textKind(field) }]
    }),
  )

const eventTable = (route: RouteModel, model: ModelReader): string[] => {
  const fields = model.fieldsOf(route.response)
  const id = fields.find((field) => field.options.eventId)
  const written = fields.find(holdsWritten)
  const [oneof] = fields.flatMap((field) => field.oneof ?? [])
  return [
    '    frames: {',
    `      oneof: '${oneof}',`,
    `      id: ${id ? `'${id.local}'` : 'undefined'},`,
    `      written: ${written ? `'${written.local}'` : 'undefined'},`,
    '      events: {',
    ...fields.flatMap((field) =>
      field.oneof && field.shape.kind === 'message' && !holdsWritten(field)
        ? [`        ${field.local}: { name: '${eventName(field)}', toRest: codec.${field.shape.name}ToRest },`]
        : [],
    ),
    '      },',
    '    },',
  ]
}

const routeEntry = (route: RouteModel, model: ModelReader): string[] => {
  const queryAndHeaders = [...new Set([...route.queryFields, ...route.headerFields])]
  const schema = {
    ...(route.pathFields.length > 0 ? { params: inlineRequestSchema(route.pathFields, model) } : {}),
    ...(queryAndHeaders.length > 0 ? { query: inlineRequestSchema(queryAndHeaders, model) } : {}),
    ...(route.hasBody ? { body: inlineRequestSchema(route.bodyFields, model) } : {}),
  }
  return [
    '  {',
    `    service: '${route.service.typeName}',`,
    `    rpc: '${route.rpc}',`,
    `    method: '${route.method}',`,
    `    path: '${route.path}',`,
    `    stream: '${route.stream}',`,
    `    status: ${route.status},`,
    `    access: '${route.access}',`,
    `    session: ${route.session},`,
    `    starts: '${route.starts}',`,
    `    pathFields: ${JSON.stringify(kinds(route.pathFields))},`,
    `    queryFields: ${JSON.stringify(kinds(route.queryFields))},`,
    `    headerFields: ${JSON.stringify(headers(route.headerFields))},`,
    `    formFields: ${JSON.stringify(route.formFields.map((field) => field.name))},`,
    `    hasBody: ${route.hasBody},`,
    `    mediaTypes: ${JSON.stringify(route.mediaTypes)},`,
    `    masked: ${route.masked},`,
    `    schema: ${JSON.stringify(schema)},`,
    `    fromRest: codec.${model.names.of(route.request)}FromRest,`,
    ...(route.stream === 'sse' ? eventTable(route, model) : []),
    ...(hasJsonAnswer(route) ? [`    toRest: codec.${model.names.of(route.response)}ToRest,`] : []),
    '  },',
  ]
}

export const hasJsonAnswer = (route: RouteModel): boolean =>
  route.stream !== 'sse' && route.stream !== 'bytes' && route.response.typeName !== 'google.protobuf.Empty'

/** The table of services with routes, and the table of their routes. */
export const routeTable = (services: ServiceModel[], model: ModelReader): string[] => [
  'export const services = [',
  ...services.map(
    ({ name, mount, title, version, heartbeat, definition }) =>
      `  { name: '${name}', mount: '${mount}', title: ${JSON.stringify(title)}, version: '${version}', heartbeat: '${heartbeat}', definition: ${definition} },`,
  ),
  '] as const',
  '',
  'export const routes: readonly Route[] = [',
  ...services.flatMap((service) => service.routes.flatMap((route) => routeEntry(route, model))),
  ']',
]
