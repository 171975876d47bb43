import { failure, type ServiceFailure } from '@trellis/kit/errors'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const ajv = new Ajv2020({ allErrors: true, strict: false, allowUnionTypes: true })
formats.default(ajv)

const maximumErrors = 20

const pathOf = ({ instancePath, keyword, params }: ErrorObject): (string | number)[] => {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  if (keyword === 'required') return [...path, String(params.missingProperty)]
  if (keyword === 'additionalProperties') return [...path, String(params.additionalProperty)]
  return path
}

const list = (values: unknown) =>
  Array.isArray(values) ? values.filter((value) => value !== null && value !== '').join(', ') : String(values)

const sentences: Record<string, (params: Record<string, unknown>) => string> = {
  required: () => 'is required',
  additionalProperties: () => 'is not known here',
  enum: ({ allowedValues }) => `must be one of ${list(allowedValues)}`,
  type: ({ type }) => `must be ${list(type).replaceAll(', ', ' or ')}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must have at least ${limit} ${limit === 1 ? 'item' : 'items'}`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  pattern: ({ pattern }) => `must match ${pattern}`,
}

const toDetail = (place: string) => (error: ErrorObject) => ({
  loc: [place, ...pathOf(error)],
  msg: sentences[error.keyword]?.(error.params) ?? error.message ?? 'is not allowed',
  type: error.keyword,
})

/** Checks one part of a request; gives the failure, or undefined when all is well. */
export type Check = (value: unknown) => ServiceFailure | undefined

/** Compiles a schema at its first use, so that hundreds of routes cost nothing at the start. */
export const check = (place: 'path' | 'query' | 'body', schema: object | undefined): Check => {
  if (!schema) return () => undefined
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= ajv.compile(schema)
    if (validate(value)) return undefined
    return failure('invalid', (validate.errors ?? []).slice(0, maximumErrors).map(toDetail(place)))
  }
}
