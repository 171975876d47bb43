#!/usr/bin/env node
import type { DescMessage } from '@bufbuild/protobuf'
/**
 * A buf plugin that generates code for the edge and its clients from the protos and their HTTP options. rest.ts: types and codecs of the JSON;
 * routes.ts: the table of routes; openapi.json: the document.
 */
import { createEcmaScriptPlugin, runNodeJs, type Schema } from '@bufbuild/protoplugin'
import { clientRoutes, inputType, nestedInputs } from './client.ts'
import { enumsOf, enumTables, fromRestFunction, reachable, restType, toRestFunction, wordType } from './codec.ts'
import { commentOf, createModelReader, holdsWritten, type ModelReader, type ServiceModel } from './model.ts'
import { fileAlias } from './names.ts'
import { createOpenApi } from './openapi.ts'
import { hasJsonAnswer, routeTable } from './routes.ts'

const notice =
  '// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.'

const codecHelpers = `
const omitNull = (name: string, value: unknown) => (value === null || value === undefined ? {} : { [name]: value })
const present = <In, Out>(value: In | null | undefined, map: (value: In) => Out): Out | null => (value === null || value === undefined ? null : map(value))
const mapValues = <In, Out>(map: { [key: string]: In }, write: (value: In) => Out): { [key: string]: Out } =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, write(value)]))
const jsonOf = (text: string | null | undefined): unknown => (text === null || text === undefined || text === '' ? null : JSON.parse(text))
const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
const int32Of = (value: number | null | undefined) => (value == null ? value : Math.max(-2147483648, Math.min(2147483647, value)))
const oneof = (value: any, member: string): any => (value?.$case === member ? value.value : undefined)
`

const eventMessages = (services: ServiceModel[], model: ModelReader): DescMessage[] =>
  services
    .flatMap((service) => service.routes)
    .filter((route) => route.stream === 'sse')
    .flatMap((route) => model.fieldsOf(route.response))
    .flatMap((field) => (field.oneof && field.shape.kind === 'message' && !holdsWritten(field) ? [field.shape.of] : []))

/** Imports of the generated messages of the files, each under the file's alias. */
const importLines = (files: string[], keyword: string): string[] =>
  [...new Set(files)]
    .filter((name) => !name.startsWith('google/'))
    .toSorted()
    .map((name) => `${keyword} * as ${fileAlias(name)} from '../ts/${name}.ts'`)

const answersOf = (services: ServiceModel[], model: ModelReader): DescMessage[] => {
  const routes = services.flatMap((service) => service.routes)
  return reachable(
    [...routes.filter(hasJsonAnswer).map((route) => route.response), ...eventMessages(services, model)],
    model,
  )
}

/** Types alone: a client that imports them bundles no code of the server. */
const writeClient = (schema: Schema, services: ServiceModel[], model: ModelReader) => {
  const file = schema.generateFile('client.ts')
  const answers = answersOf(services, model)
  const inputs = reachable(nestedInputs(services), model)
  const requests = services.flatMap((service) => service.routes).map((route) => route.request)
  const print = (lines: string[]) => {
    for (const line of lines) file.print(line)
    file.print()
  }
  print([notice, '// biome-ignore-all lint: generated'])
  for (const enumeration of enumsOf([...answers, ...reachable(requests, model)], model)) print(wordType(enumeration))
  for (const message of answers) print(restType(message, model, commentOf(message)))
  for (const message of inputs) print(inputType(message, model))
  print(clientRoutes(services, model))
}

const writeRest = (schema: Schema, services: ServiceModel[], model: ModelReader) => {
  const file = schema.generateFile('rest.ts')
  const routes = services.flatMap((service) => service.routes)
  const answers = answersOf(services, model)
  const isMask = (message: DescMessage) => message.typeName === 'google.protobuf.FieldMask'
  const requests = reachable(
    routes.map((route) => route.request),
    model,
  ).filter((message) => !isMask(message))
  const all = [...new Set([...answers, ...requests])]
  const print = (lines: string[]) => {
    for (const line of lines) file.print(line)
    file.print()
  }
  const files = all.map((message) => message.file.name)
  const enums = enumsOf(all, model)
  const types = [
    ...enums.map(({ name }) => `${name}Word`),
    ...answers.map((message) => `${model.names.of(message)}Rest`),
  ]
  print([
    notice,
    '// biome-ignore-all lint: generated',
    ...importLines(files, 'import type'),
    `import type { ${types.join(', ')} } from './client.ts'`,
    "export type * from './client.ts'",
    codecHelpers,
  ])
  for (const enumeration of enums) print(enumTables(enumeration))
  for (const message of answers) print(toRestFunction(message, model))
  for (const message of requests) print(fromRestFunction(message, model))
}

const routeType = `
export type TextKind = 'string' | 'number' | 'boolean' | 'string[]' | 'number[]' | 'boolean[]'

/** One rpc as an HTTP route. */
export type Route = {
  service: string
  rpc: string
  method: string
  path: string
  stream: 'none' | 'sse' | 'bytes' | 'multipart' | 'body'
  status: number
  access: 'open' | 'caller' | 'api_key' | 'admin_key' | 'branch_key'
  /** The session cookie suffices instead of the API key. */
  session: boolean
  /** Work that a call starts, which is rate-limited per caller. */
  starts: 'none' | 'search' | 'generation' | 'export'
  pathFields: Record<string, TextKind>
  queryFields: Record<string, TextKind>
  /** Request field → the header from which it is read, or the cookie in it. */
  headerFields: Record<string, { header: string; cookie?: string; kind: TextKind }>
  /** Fields of the multipart form; the query may contain them, too. */
  formFields: readonly string[]
  hasBody: boolean
  mediaTypes: readonly string[]
  /** A PATCH whose message receives the keys of the body as a mask. */
  masked: boolean
  /** That of the query includes the fields of headers. */
  schema: { params?: object; query?: object; body?: object }
  fromRest: (json: any) => any
  toRest?: (message: any) => unknown
  frames?: {
    oneof: string
    id: string | undefined
    /** The case of the oneof that holds serialized frames. */
    written: string | undefined
    events: Record<string, { name: string; toRest: (message: any) => unknown }>
  }
}
`

const writeRoutes = (schema: Schema, services: ServiceModel[], model: ModelReader) => {
  const file = schema.generateFile('routes.ts')
  file.print(notice)
  file.print('// biome-ignore-all lint: generated')
  const files = services.map((service) => service.file)
  for (const line of importLines(files, 'import')) file.print(line)
  file.print("import * as codec from './rest.ts'")
  file.print(routeType)
  for (const line of routeTable(services, model)) file.print(line)
}

const generateTs = (schema: Schema) => {
  const model = createModelReader(schema)
  const services = model.services()
  writeClient(schema, services, model)
  writeRest(schema, services, model)
  writeRoutes(schema, services, model)
  const document = createOpenApi(model)(services)
  schema.generateFile('openapi.json').print(JSON.stringify(document, null, 2))
}

runNodeJs(createEcmaScriptPlugin({ name: 'protoc-gen-edge', version: 'v1', generateTs }))
