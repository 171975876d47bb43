import type { DescEnum, DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf'
import { getComments, type Schema } from '@bufbuild/protoplugin'
import { createNames, type Names } from './names.ts'
import { accesses, createOptionReader, type FieldOptions, type OptionReader, streams, works } from './options.ts'
import { type FieldRules, fieldRules } from './rules.ts'

/** The kind of a value, regardless of its cardinality. */
export type Shape =
  | { kind: 'string' | 'number' | 'int32' | 'int64' | 'boolean' | 'bytes' | 'timestamp' | 'any' | 'object' }
  | { kind: 'enum'; of: EnumModel }
  | { kind: 'message'; of: DescMessage; name: string }

export type FieldModel = {
  /** As in JSON and in the proto. */
  name: string
  /** As in generated messages. */
  local: string
  shape: Shape
  repeated: boolean
  map: boolean
  /** May be absent, which is `null` in responses. */
  optional: boolean
  /** The oneof it belongs to, by its name in generated messages. */
  oneof: string | undefined
  rules: FieldRules
  options: FieldOptions
  comment: string
}

/** Whether a field of a frame holds frames that the service has already serialized; it is not an event itself. */
export const holdsWritten = ({ shape }: FieldModel): boolean =>
  shape.kind === 'message' && shape.of.typeName === 'trellis.http.v1.WrittenFrames'

export type EnumModel = {
  name: string
  /** The generated type. */
  proto: string
  /** Generated value → word; the unspecified value has none. */
  words: { value: string; word: string }[]
  unspecified: string
  comment: string
}

export type RouteModel = {
  service: DescService
  rpc: string
  method: string
  /** `/logs/api/tasks/{task_id}` */
  path: string
  pathFields: FieldModel[]
  queryFields: FieldModel[]
  headerFields: FieldModel[]
  bodyFields: FieldModel[]
  formFields: FieldModel[]
  hasBody: boolean
  masked: boolean
  stream: (typeof streams)[number]
  status: number
  also: number[]
  errors: number[]
  mediaTypes: string[]
  /** JSON text, if the method has an example. */
  example: string
  access: (typeof accesses)[number]
  /** The session cookie suffices instead of the API key. */
  session: boolean
  /** Work that a call starts. */
  starts: (typeof works)[number]
  /** The message composed of path, query and body. */
  request: DescMessage
  response: DescMessage
  comment: string
}

export type ServiceModel = {
  name: string
  /** The generated definition. */
  definition: string
  file: string
  mount: string
  title: string
  version: string
  heartbeat: string
  comment: string
  routes: RouteModel[]
}

export const camelCase = (snake: string): string =>
  snake.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

export const commentOf = (described: Parameters<typeof getComments>[0]): string =>
  (getComments(described).leading ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim()

const wellKnown: Record<string, Shape['kind']> = {
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Value': 'any',
  'google.protobuf.Struct': 'object',
}

const scalarKinds: Record<number, 'string' | 'number' | 'int32' | 'int64' | 'boolean' | 'bytes'> = {
  1: 'number',
  2: 'number',
  3: 'int64',
  5: 'int32',
  8: 'boolean',
  9: 'string',
  12: 'bytes',
}

const createEnumModel = (described: DescEnum, options: OptionReader, names: Names): EnumModel => {
  const prefix = `${described.name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()}_`
  const wordOf = (name: string) => name.slice(name.startsWith(prefix) ? prefix.length : 0).toLowerCase()
  const [unspecified, ...values] = described.values
  if (!unspecified?.name.endsWith('_UNSPECIFIED'))
    throw new Error(`${described.typeName} needs an UNSPECIFIED value at 0.`)
  return {
    name: names.of(described),
    proto: names.proto(described),
    unspecified: unspecified.name,
    words: values.map((value) => ({ value: value.name, word: options.word(value) || wordOf(value.name) })),
    comment: commentOf(described),
  }
}

const shapeOf = (field: DescField, options: OptionReader, names: Names): Shape => {
  const described = field.fieldKind === 'list' || field.fieldKind === 'map' ? undefined : field
  const message =
    described?.fieldKind === 'message' ? described.message : 'message' in field ? field.message : undefined
  if (message)
    return wellKnown[message.typeName]
      ? { kind: wellKnown[message.typeName] as 'any' }
      : { kind: 'message', of: message, name: names.of(message) }
  const enumeration = 'enum' in field ? field.enum : undefined
  if (enumeration) return { kind: 'enum', of: createEnumModel(enumeration, options, names) }
  const scalar = 'scalar' in field ? field.scalar : undefined
  const kind = scalarKinds[scalar ?? 9]
  if (!kind) throw new Error(`${field.name} has a number type besides double, float, int32 and int64.`)
  return { kind }
}

const isOptional = (field: DescField): boolean =>
  field.fieldKind === 'message' ||
  field.fieldKind === 'enum' ||
  (field.fieldKind === 'scalar' && (field.proto.proto3Optional ?? false))

export const createModelReader = (schema: Schema) => {
  const options = createOptionReader(schema)
  const names = createNames(schema)
  const known = new Map<DescMessage, FieldModel[]>()

  const fieldsOf = (message: DescMessage): FieldModel[] => {
    const found = known.get(message)
    if (found) return found
    const fields = message.fields.map((field): FieldModel => {
      const fieldOptions = options.field(field)
      const shape: Shape = fieldOptions.jsonText ? { kind: 'any' } : shapeOf(field, options, names)
      return {
        name: field.name,
        local: camelCase(field.name),
        shape,
        repeated: field.fieldKind === 'list',
        map: field.fieldKind === 'map',
        optional: isOptional(field) || fieldOptions.jsonText === true,
        oneof: field.oneof ? camelCase(field.oneof.name) : undefined,
        rules: fieldRules(options.rules(field)),
        options: fieldOptions,
        comment: commentOf(field),
      }
    })
    known.set(message, fields)
    return fields
  }

  const routeOf = (service: DescService, method: DescMethod): RouteModel => {
    const where = `${service.typeName}.${method.name}`
    const http = options.http(method)
    const verb = http?.pattern.case
    const path = http?.pattern.value
    if (!http || !verb || !path) throw new Error(`${where} needs a google.api.http annotation.`)
    const own = options.method(method)
    const stream = streams[own.stream ?? 0] ?? 'none'
    const parameters = stream === 'multipart' || stream === 'body' ? parametersOf(method.input, where) : method.input
    const serviceOptions = options.service(service)
    if (!serviceOptions) throw new Error(`${service.typeName} needs the service option.`)
    if (!path.startsWith(`${serviceOptions.mount}/`))
      throw new Error(`${where}: ${path} does not start with ${serviceOptions.mount}/.`)
    const inPath = new Set([...path.matchAll(/\{([a-z0-9_]+)\}/g)].map((match) => match[1]))
    const masked = parameters.fields.some((field) => field.message?.typeName === 'google.protobuf.FieldMask')
    const rest = fieldsOf(parameters).filter((field) => !inPath.has(field.name) && field.name !== 'update_mask')
    const hasBody = http.body === '*' && stream !== 'multipart' && stream !== 'body'
    const isHeader = ({ options: { header, cookie } }: FieldModel) => Boolean(header) || Boolean(cookie)
    const isForm = (field: FieldModel) => field.options.form === true
    const isInQuery = (field: FieldModel) =>
      isHeader(field) ? field.options.inQuery === true : !hasBody && !isForm(field)
    return {
      service,
      rpc: camelCase(method.name.charAt(0).toLowerCase() + method.name.slice(1)),
      method: verb.toUpperCase(),
      path,
      pathFields: fieldsOf(parameters).filter((field) => inPath.has(field.name)),
      headerFields: rest.filter(isHeader),
      bodyFields: hasBody ? rest.filter((field) => !isHeader(field)) : [],
      queryFields: rest.filter(isInQuery),
      formFields: rest.filter(isForm),
      hasBody,
      masked,
      stream,
      status: own.status || (method.output.typeName === 'google.protobuf.Empty' ? 204 : 200),
      also: own.also ?? [],
      errors: own.errors ?? [],
      mediaTypes: own.mediaTypes ?? [],
      example: own.example ?? '',
      access: accesses[own.access || serviceOptions.access] ?? 'caller',
      session: verb === 'get' || own.session === true,
      starts: works[own.starts ?? 0] ?? 'none',
      request: parameters,
      response: method.output,
      comment: commentOf(method),
    }
  }

  const parametersOf = (input: DescMessage, where: string): DescMessage => {
    const parameters = input.oneofs
      .find((oneof) => oneof.name === 'part')
      ?.fields.find((field) => field.name === 'parameters')
    if (!parameters?.message) throw new Error(`${where} needs a oneof "part" with a message "parameters".`)
    return parameters.message
  }

  const services = (): ServiceModel[] =>
    schema.files
      .flatMap((file) => file.services)
      .filter((service) => options.service(service) !== undefined)
      .map((service) => {
        const { mount = '', title = service.name, version = '', heartbeat = '' } = options.service(service) ?? {}
        const routes = service.methods.map((method) => routeOf(service, method))
        return {
          name: service.typeName,
          definition: `${names.proto(service)}Definition`,
          file: service.file.name,
          mount,
          title,
          version,
          heartbeat: heartbeat || 'heartbeat',
          comment: commentOf(service),
          routes,
        }
      })

  return { fieldsOf, services, names }
}

export type ModelReader = ReturnType<typeof createModelReader>
