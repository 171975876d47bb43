import { ConfigError } from '@trellis/kit/config'

/** Reads a value of a document; throws ConfigError with a sentence that starts with the path of the field. */
export type FieldReader<Value> = (value: unknown, path: string) => Value

/** The path of a field within another; the document's own path is empty. */
const within = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const wrong = (path: string, what: string): ConfigError =>
  new ConfigError(`${path === '' ? 'the document' : path} must be ${what}.`)

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const text: FieldReader<string> = (value, path) => {
  if (typeof value !== 'string' || value === '') throw wrong(path, 'a text that is not empty')
  return value
}

/** A text that may be empty, like the value of a variable. */
export const anyText: FieldReader<string> = (value, path) => {
  if (typeof value !== 'string') throw wrong(path, 'a text; numbers and true or false need quotes')
  return value
}

export const oneOf =
  <const Choice extends string>(...choices: readonly Choice[]): FieldReader<Choice> =>
  (value, path) => {
    const found = choices.find((choice) => choice === value)
    if (found === undefined) throw wrong(path, `one of ${choices.join(', ')}`)
    return found
  }

/** An object that only the API server validates. */
export const anyObject: FieldReader<Readonly<Record<string, unknown>>> = (value, path) => {
  if (!isMap(value)) throw wrong(path, 'an object')
  return value
}

export const listOf =
  <Value>(item: FieldReader<Value>, min = 0): FieldReader<readonly Value[]> =>
  (value, path) => {
    if (!Array.isArray(value) || value.length < min) throw wrong(path, min > 0 ? `a list of at least ${min}` : 'a list')
    return value.map((inner, at) => item(inner, `${path}[${at}]`))
  }

export const mapOf =
  <Value>(item: FieldReader<Value>): FieldReader<Readonly<Record<string, Value>>> =>
  (value, path) =>
    Object.fromEntries(
      Object.entries(anyObject(value, path)).map(([name, inner]) => [name, item(inner, within(path, name))]),
    )

/** A Kubernetes quantity, `250m` or 2; the API server validates it. */
export const quantity: FieldReader<string | number> = (value, path) => {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  if (typeof value === 'string' && /^\d+(\.\d+)?([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$/.test(value)) return value
  throw wrong(path, 'a quantity such as 250m, 2 or 512Mi')
}

export const wholeNumber: FieldReader<number> = (value, path) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw wrong(path, 'a whole number from 0')
  return value
}

/**
 * An object with exactly these fields, some of them required. Unknown fields are rejected, as they are likely typos.
 */
export const fieldsOf =
  <Value extends object>(
    readers: { [Name in keyof Required<Value>]: FieldReader<Exclude<Value[Name], undefined>> },
    required: readonly (keyof Value & string)[],
  ): FieldReader<Value> =>
  (value, path) => {
    const fields = anyObject(value, path)
    const unknown = Object.keys(fields).find((name) => !Object.hasOwn(readers, name))
    if (unknown !== undefined)
      throw new ConfigError(`${within(path, unknown)} is not known; there are ${Object.keys(readers).join(', ')}.`)
    const missing = required.find((name) => fields[name] === undefined || fields[name] === null)
    if (missing !== undefined) throw new ConfigError(`${within(path, missing)} is missing.`)
    const read: Record<string, unknown> = {}
    // Charts render null for values that are left open.
    for (const [name, reader] of Object.entries<FieldReader<unknown>>(readers))
      if (fields[name] !== undefined && fields[name] !== null) read[name] = reader(fields[name], within(path, name))
    return read as Value
  }

/** An object with some validated fields; the other fields are passed through. */
export const openFields =
  <Value extends object>(readers: Readonly<Record<string, FieldReader<unknown>>>): FieldReader<Value> =>
  (value, path) => {
    const fields = anyObject(value, path)
    for (const [name, reader] of Object.entries(readers)) reader(fields[name], within(path, name))
    return fields as Value
  }
