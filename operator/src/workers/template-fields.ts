import { ConfigError } from '@trellis/kit/config'

/** Reads a value of a document; throws ConfigFailure with a sentence that begins with the path of the field. */
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

/** A text that may be empty, as the value of a variable may. */
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

/** An object that only the API server understands. */
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

/** An amount as Kubernetes writes it, `250m` or 2; the API server judges it. */
export const quantity: FieldReader<string | number> = (value, path) => {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  if (typeof value === 'string' && /^\d+(\.\d+)?([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$/.test(value)) return value
  throw wrong(path, 'a quantity such as 250m, 2 or 512Mi')
}

export const wholeNumber: FieldReader<number> = (value, path) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw wrong(path, 'a whole number from 0')
  return value
}

/** An object with just these fields, of which some are required. What is not known is refused, as it is likely a slip. */
export const fieldsOf =
  <Value extends object>(
    readers: { [Name in keyof Required<Value>]: FieldReader<Exclude<Value[Name], undefined>> },
    required: readonly (keyof Value & string)[],
  ): FieldReader<Value> =>
  (value, path) => {
    const given = anyObject(value, path)
    const unknown = Object.keys(given).find((name) => !Object.hasOwn(readers, name))
    if (unknown !== undefined)
      throw new ConfigError(`${within(path, unknown)} is not known; there are ${Object.keys(readers).join(', ')}.`)
    const missing = required.find((name) => given[name] === undefined || given[name] === null)
    if (missing !== undefined) throw new ConfigError(`${within(path, missing)} is missing.`)
    const read: Record<string, unknown> = {}
    // A chart writes null for what its values leave open.
    for (const [name, reader] of Object.entries<FieldReader<unknown>>(readers))
      if (given[name] !== undefined && given[name] !== null) read[name] = reader(given[name], within(path, name))
    return read as Value
  }

/** An object of which some fields are checked, and which is passed on with whatever else it has. */
export const openFields =
  <Value extends object>(readers: Readonly<Record<string, FieldReader<unknown>>>): FieldReader<Value> =>
  (value, path) => {
    const given = anyObject(value, path)
    for (const [name, reader] of Object.entries(readers)) reader(given[name], within(path, name))
    return given as Value
  }
