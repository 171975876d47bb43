import type { DescMessage } from '@bufbuild/protobuf'
import type { FieldModel, ModelReader, Shape } from './model.ts'

export type JsonSchema = { [keyword: string]: unknown }

/** Schema of a nested message: a reference into the document, or inline. */
export type Nesting = (message: DescMessage) => JsonSchema

const simple: Record<Exclude<Shape['kind'], 'enum' | 'message'>, JsonSchema> = {
  string: { type: 'string' },
  number: { type: 'number' },
  int32: { type: 'integer', format: 'int32' },
  // Messages hold these as numbers, which are exact up to here.
  int64: {
    type: 'integer',
    format: 'int64',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  boolean: { type: 'boolean' },
  bytes: { type: 'string', contentEncoding: 'base64' },
  timestamp: { type: 'string', format: 'date-time' },
  object: { type: 'object' },
  any: {},
}

const shapeSchema = (shape: Shape, nest: Nesting): JsonSchema => {
  if (shape.kind === 'message') return nest(shape.of)
  if (shape.kind === 'enum') return { type: 'string', enum: shape.of.words.map(({ word }) => word) }
  return { ...simple[shape.kind] }
}

const orNull = (schema: JsonSchema): JsonSchema => {
  if (typeof schema.type !== 'string')
    return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
  const words = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}
  return { ...schema, type: [schema.type, 'null'], ...words }
}

/** The schema of one field's value; `nullable` if null may stand for absent. */
export const fieldSchema = (field: FieldModel, nest: Nesting, nullable: boolean): JsonSchema => {
  const shape = field.options.clamped ? { type: 'integer' } : shapeSchema(field.shape, nest)
  const item = { ...shape, ...field.rules.value }
  if (field.repeated) return { type: 'array', items: item, ...field.rules.list }
  if (field.map) return { type: 'object', additionalProperties: item }
  const fallback = field.options.default ? { default: JSON.parse(field.options.default) } : {}
  return { ...(nullable && field.optional ? orNull(item) : item), ...fallback }
}

/** The schema of a request: only the `required` fields are mandatory, null counts as absent, and unknown fields are rejected. */
export const requestSchema = (fields: FieldModel[], nest: Nesting): JsonSchema => {
  const required = fields.filter((field) => field.rules.required).map((field) => field.name)
  const schemaOf = (field: FieldModel): JsonSchema => {
    const schema = fieldSchema(field, nest, false)
    return field.rules.required ? schema : orNull(schema)
  }
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

/** A request schema without references, which the edge compiles. */
export const inlineRequestSchema = (fields: FieldModel[], model: ModelReader): JsonSchema => {
  const nest =
    (trail: DescMessage[]): Nesting =>
    (message) => {
      if (trail.includes(message)) throw new Error(`${message.typeName} holds itself, which requests cannot.`)
      return requestSchema(model.fieldsOf(message), nest([...trail, message]))
    }
  return requestSchema(fields, nest([]))
}

/** The schema of a response: every key is present, null if unknown. */
export const responseSchema = (fields: FieldModel[], nest: Nesting, comment: string): JsonSchema => {
  const shown = fields.filter((field) => !field.options.eventId)
  const always = shown.filter((field) => !field.options.omitNull && !field.oneof)
  return {
    type: 'object',
    ...(comment === '' ? {} : { description: comment }),
    properties: Object.fromEntries(
      shown.map((field) => [
        field.name,
        {
          ...fieldSchema(field, nest, !field.options.omitNull),
          ...(field.comment === '' ? {} : { description: field.comment }),
        },
      ]),
    ),
    required: always.map((field) => field.name),
  }
}

/** Messages as references into the document: as responses return them, or as requests accept them. */
export const references = (model: ModelReader): { answer: Nesting; input: Nesting } => ({
  answer: (message) => ({ $ref: `#/components/schemas/${model.names.of(message)}` }),
  input: (message) => ({ $ref: `#/components/schemas/${model.names.of(message)}Input` }),
})
