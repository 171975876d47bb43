import { type ServiceError, serviceError } from '@trellis/kit/errors'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const createAjv = (allErrors: boolean) => {
  const ajv = new Ajv2020({ allErrors, strict: false, strictNumbers: true, allowUnionTypes: true, verbose: true })
  formats.default(ajv)
  return ajv
}

/** Stops at the first error. Ajv can report one error or all, and a large body may have millions. */
const firstError = createAjv(false)
const allErrors = createAjv(true)

const maxErrors = 20
/** For values with more parts than this only the first error is reported. */
const maxPartsForAllErrors = 1_000

/** Whether a value has more parts, at any depth, than the limit; it visits no more than that. */
const hasMoreParts = (value: unknown, limit: number): boolean => {
  let left = limit
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    // Checks the length of a list before enumerating it.
    if (Array.isArray(next) && next.length > left) return true
    for (const key in next) {
      left -= 1
      if (left < 0) return true
      waiting.push((next as Record<string, unknown>)[key])
    }
  }
  return false
}

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

const kindNames: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  array: 'a list',
  object: 'an object',
}

/** ` from 1 to 100`, for a schema with such bounds, which are not those of any exact number. */
const boundsOf = (schema: Record<string, unknown>): string => {
  const minimum = schema.minimum === Number.MIN_SAFE_INTEGER ? undefined : schema.minimum
  const maximum = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum
  if (minimum === undefined) return maximum === undefined ? '' : ` of at most ${maximum}`
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`
}

/** Describes a type. Null counts as absent and is not mentioned. */
const kindOf = (type: unknown, schema: Record<string, unknown>): string => {
  const kinds = [type].flat().filter((kind) => kind !== 'null')
  return `${kinds.map((kind) => kindNames[String(kind)] ?? String(kind)).join(' or ')}${boundsOf(schema)}`
}

const formatNames: Record<string, string> = {
  int32: 'a whole number of at most 32 bits, from -2147483648 to 2147483647',
  int64: 'a whole number',
}

/** Words for the patterns of our fields; other patterns are quoted. */
const patternSentences: Record<string, string> = {
  '\\S': 'must not be blank',
  '^([01][0-9]|2[0-3]):[0-5][0-9]$': 'must be a time of day as HH:MM, such as 07:30',
  '^[0-9]{6}$': 'must be six digits',
  '^[a-z0-9-]{1,40}$': 'must be 1 to 40 lower-case letters, digits and hyphens',
  '^[1-9][0-9]{0,8}(\\.[0-9]{1,3})?([kMGTPE]|[KMGTPE]i)?$': 'must be an amount such as 10Gi',
}

type Sentence = (params: Record<string, unknown>, schema: Record<string, unknown>) => string

const sentences: Record<string, Sentence> = {
  required: () => 'is required',
  additionalProperties: () => 'is unknown',
  enum: ({ allowedValues }) => `must be one of ${list(allowedValues)}`,
  type: ({ type }, schema) => `must be ${kindOf(type, schema)}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must have at least ${limit} ${limit === 1 ? 'item' : 'items'}`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  pattern: ({ pattern }) => patternSentences[String(pattern)] ?? `must match ${pattern}`,
  format: ({ format }) => `must be ${formatNames[String(format)] ?? `a valid ${format}`}`,
}

/** A repeated query parameter is parsed as a list, which its sender does not know about. */
const twice = (place: string, { keyword, data }: ErrorObject): string | undefined =>
  place === 'query' && keyword === 'type' && Array.isArray(data)
    ? 'occurs more than once: send it once, with commas between values where it takes several'
    : undefined

const toDetail = (place: string) => (error: ErrorObject) => ({
  loc: [place, ...pathOf(error)],
  msg:
    twice(place, error) ??
    sentences[error.keyword]?.(error.params, error.parentSchema ?? {}) ??
    error.message ??
    'is not allowed',
  type: error.keyword,
})

/** Checks one part of a request; returns the error, or undefined if it is valid. */
export type Check = (value: unknown) => ServiceError | undefined

/** Whether an error adds something to the others: a number that is not whole also lacks the format of a whole number. */
const addsTo =
  (errors: readonly ErrorObject[]) =>
  ({ keyword, instancePath }: ErrorObject): boolean =>
    keyword !== 'format' || !errors.some((other) => other.keyword === 'type' && other.instancePath === instancePath)

/** Compiles a schema lazily, so that hundreds of routes cost nothing at startup. */
export const check = (place: 'path' | 'query' | 'body', schema: object | undefined): Check => {
  if (!schema) return () => undefined
  let isValid: ValidateFunction | undefined
  let findAll: ValidateFunction | undefined
  return (value) => {
    isValid ??= firstError.compile(schema)
    if (isValid(value)) return undefined
    let errors = isValid.errors ?? []
    if (!hasMoreParts(value, maxPartsForAllErrors)) {
      findAll ??= allErrors.compile(schema)
      if (!findAll(value)) errors = findAll.errors ?? errors
    }
    return serviceError('invalid', errors.filter(addsTo(errors)).slice(0, maxErrors).map(toDetail(place)))
  }
}

/** Rejects unknown query parameters, like unknown keys of a body. */
export const checkNames = (known: ReadonlySet<string>): Check => {
  const detailOf = (name: string) => ({
    loc: ['query', name],
    msg: known.size === 0 ? 'is unknown' : `is unknown; known are ${[...known].join(', ')}`,
    type: 'additionalProperties',
  })
  return (query) => {
    const unknown = Object.keys(query ?? {}).filter((name) => !known.has(name))
    return unknown.length === 0 ? undefined : serviceError('invalid', unknown.slice(0, maxErrors).map(detailOf))
  }
}
