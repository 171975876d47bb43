import openapi from '@trellis/protos/edge/openapi.json' with { type: 'json' }
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  pattern?: string
  format?: string
}

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
  example?: unknown
}

export type Media = { schema?: Schema; example?: unknown; 'x-events'?: Record<string, Schema> }

export type Operation = {
  operationId: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

export type Route = { path: string; method: string; operation: Operation }

export const document = openapi as unknown as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** All operations of the document. */
export const routes: Route[] = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

/** Resolves a reference into the document. */
export const resolve = (schema: Schema): Schema => {
  const [, name] = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '') ?? []
  return name ? (document.components.schemas[name] ?? {}) : schema
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ $id: 'document', components: document.components })

const absolute = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'))

const validators = new Map<string, ReturnType<typeof ajv.compile>>()

/** The validation errors of a value against a schema; empty if it is valid. */
export const misfits = (schema: Schema, value: unknown): string[] => {
  const key = JSON.stringify(schema)
  let validate = validators.get(key)
  if (!validate) {
    validate = ajv.compile(absolute(schema) as object)
    validators.set(key, validate)
  }
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
