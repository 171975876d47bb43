import type { DescMessage } from '@bufbuild/protobuf'
import { commentLines, typeOfShape } from './codec.ts'
import type { FieldModel, ModelReader, RouteModel, ServiceModel, Shape } from './model.ts'
import { eventName } from './openapi.ts'
import { hasJsonAnswer } from './routes.ts'

const inputOfShape = (shape: Shape): string => (shape.kind === 'message' ? `${shape.name}Input` : typeOfShape(shape))

const inputOfField = (field: FieldModel): string => {
  const item = inputOfShape(field.shape)
  if (field.repeated) return `readonly (${item})[]`
  if (field.map) return `Record<string, ${item}>`
  return item
}

/** A member of a request: only fields that the route requires are mandatory. */
const inputMember = (field: FieldModel): string => {
  if (field.rules.required) return `${field.name}: ${inputOfField(field)}`
  return `${field.name}?: ${inputOfField(field)} | null | undefined`
}

const inputObject = (fields: readonly FieldModel[]): string =>
  fields.length === 0 ? '{}' : `{ ${fields.map(inputMember).join('; ')} }`

/** The type of a message in a request. */
export const inputType = (message: DescMessage, model: ModelReader): string[] => [
  `export type ${model.names.of(message)}Input = {`,
  ...model.fieldsOf(message).flatMap((field) => [...commentLines(field.comment, '  '), `  ${inputMember(field)}`]),
  '}',
]

const bodyOf = (route: RouteModel): string => {
  if (route.stream === 'multipart') return 'FormData'
  if (route.stream === 'body') return 'string | Blob'
  return route.hasBody ? inputObject(route.bodyFields) : 'undefined'
}

const answerOf = (route: RouteModel, model: ModelReader): string => {
  if (route.stream === 'bytes') return 'Blob'
  return hasJsonAnswer(route) ? `${model.names.of(route.response)}Rest` : 'undefined'
}

const framesOf = (route: RouteModel, model: ModelReader): string => {
  if (route.stream !== 'sse') return '{}'
  const events = model
    .fieldsOf(route.response)
    .flatMap((field) =>
      field.oneof && field.shape.kind === 'message' && field.shape.of.typeName !== 'trellis.http.v1.WrittenFrames'
        ? [`'${eventName(field)}': ${field.shape.name}Rest`]
        : [],
    )
  return `{ ${events.join('; ')} }`
}

const pathOf = (fields: readonly FieldModel[]): string =>
  fields.length === 0 ? '{}' : `{ ${fields.map((field) => `${field.name}: string | number`).join('; ')} }`

const routeType = (route: RouteModel, model: ModelReader): string[] => [
  ...commentLines(route.comment, '  '),
  `  '${route.method} ${route.path}': {`,
  `    path: ${pathOf(route.pathFields)}`,
  `    query: ${inputObject(route.queryFields)}`,
  `    body: ${bodyOf(route)}`,
  `    answer: ${answerOf(route, model)}`,
  `    frames: ${framesOf(route, model)}`,
  '  }',
]

/** The type of every route by method and path, for clients. */
export const clientRoutes = (services: readonly ServiceModel[], model: ModelReader): string[] => [
  '/** Every route by method and path: its parameters, its answer and, of a stream, its frames by event. */',
  'export type Routes = {',
  ...services.flatMap((service) => service.routes.flatMap((route) => routeType(route, model))),
  '}',
]

/** The messages that requests nest in their bodies. */
export const nestedInputs = (services: readonly ServiceModel[]): DescMessage[] =>
  services
    .flatMap((service) => service.routes)
    .flatMap((route) => [...route.bodyFields, ...route.queryFields])
    .flatMap(({ shape }) => (shape.kind === 'message' ? [shape.of] : []))
