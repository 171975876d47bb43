import { readFileSync } from 'node:fs'

/** Parses a variable's text. Its errors complete a sentence that starts with the variable: `must be a whole number from 1 to 65535`. */
export type Reader<Value> = (text: string) => Value

export type Setting<Value> = {
  reader: Reader<Value>
  fallback: Value
  description: string
  secret: boolean
  /** Validated, but not used by any feature yet. */
  reserved: boolean
  /** Whether an empty variable is read as an empty text; else it counts as unset. */
  emptyCounts: boolean
}

/** One service's settings: property name → environment variable and how to read it. */
export type ConfigSchema = Record<string, Setting<unknown> & { variable: string }>

/** The values of a schema, by property. */
export type ValuesOf<Schema extends ConfigSchema> = { readonly [Name in keyof Schema]: Schema[Name]['fallback'] }

/** Wrong settings. The message has a line for each, for the user who starts the program. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Declares a setting: `port: setting('PORT', read.port, 8080, 'Where the API listens.')`. */
export const setting = <Value>(
  variable: string,
  reader: Reader<Value>,
  fallback: NoInfer<Value>,
  description: string,
) => ({
  variable,
  reader,
  fallback,
  description,
  secret: false,
  reserved: false,
  emptyCounts: false,
})

/** Declares a setting that is never displayed. It may also be read from a file that `<variable>_FILE` names, as clusters pass secrets. */
export const secret = <Value>(
  variable: string,
  reader: Reader<Value>,
  fallback: NoInfer<Value>,
  description: string,
) => ({
  ...setting<Value>(variable, reader, fallback, description),
  secret: true,
})

/** Declares that an empty variable differs from an unset one: it is read as an empty text. */
export const emptyCounts = <Declared extends ConfigSchema[string]>(declared: Declared): Declared => ({
  ...declared,
  emptyCounts: true,
})

/** Marks a setting of a future feature: it is validated, and a warning is logged when it is set. */
export const reserved = <Declared extends ConfigSchema[string]>(declared: Declared): Declared => ({
  ...declared,
  reserved: true,
})

const textOf = (
  { variable, secret: isSecret, emptyCounts: isEmptyRead }: ConfigSchema[string],
  environment: NodeJS.ProcessEnv,
): string | undefined => {
  const direct = environment[variable]
  if (direct !== undefined && (direct !== '' || isEmptyRead)) return direct
  const file = isSecret ? environment[`${variable}_FILE`] : undefined
  if (file === undefined || file === '') return undefined
  try {
    return readFileSync(file, 'utf8').trimEnd()
  } catch (cause) {
    throw new ConfigError(`${variable}_FILE names ${file}, which cannot be read.`, { cause })
  }
}

/** Files that the environment names (`<NAME>_FILE`). They may hold secrets, so code that reads files for callers must exclude them. */
export const filesNamedIn = (environment: NodeJS.ProcessEnv): string[] =>
  Object.entries(environment).flatMap(([name, value]) => (name.endsWith('_FILE') && value ? [value] : []))

const wrongValue = (variable: string, shown: string, cause: unknown): ConfigError => {
  if (cause instanceof ConfigError) return cause
  const reason = cause instanceof Error ? cause.message : 'is wrong'
  return new ConfigError(`${variable} ${reason}, but is ${shown}.`, { cause })
}

/** Throws all failures as one error, without duplicate lines, because schemas may share a variable. */
const throwAll = (failures: readonly ConfigError[]): void => {
  const [first, second] = failures
  if (!first) return
  if (!second) throw first
  const lines = new Set(failures.flatMap(({ message }) => message.split('\n')))
  throw new ConfigError([...lines].join('\n'), { cause: new AggregateError(failures) })
}

/** Thrown when a derivation reads a wrong value, so that it is skipped. */
class UnreadableSetting extends Error {
  override name = 'UnreadableSetting'
}

/** The values of a schema, and a failure for each wrong value; reading such a value throws `UnreadableSetting`. */
const readSchema = (schema: ConfigSchema, environment: NodeJS.ProcessEnv) => {
  const values: Record<string, unknown> = {}
  const failures: ConfigError[] = []
  for (const [name, declared] of Object.entries(schema)) {
    const { variable, reader, fallback, secret: isSecret } = declared
    let text: string | undefined
    try {
      text = textOf(declared, environment)
      values[name] = text === undefined ? fallback : reader(text)
    } catch (cause) {
      failures.push(wrongValue(variable, isSecret ? 'its value' : JSON.stringify(text), cause))
      Object.defineProperty(values, name, {
        enumerable: true,
        get: () => {
          throw new UnreadableSetting(variable)
        },
      })
    }
  }
  return { values: Object.freeze(values), failures }
}

/** Reads a schema from the environment; unset variables take their defaults, and so do empty ones unless their emptiness counts. Throws one ConfigError with a line for each wrong value. */
export const readConfig = <Schema extends ConfigSchema>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): ValuesOf<Schema> => {
  const { values, failures } = readSchema(schema, environment)
  throwAll(failures)
  return values as ValuesOf<Schema>
}

type ValuesOfAll<Schemas extends Record<string, ConfigSchema>> = {
  readonly [Name in keyof Schemas]: ValuesOf<Schemas[Name]>
}

/** Values derived from several settings, by name; each throws ConfigError where the settings are inconsistent. */
type Derivations = Record<string, () => unknown>
type Derived<Own extends Derivations> = { readonly [Name in keyof Own]: ReturnType<Own[Name]> }

/**
 * Reads several schemas and computes the derivations. Throws one ConfigError with a line for each wrong value and
 * each failed derivation; derivations that read a wrong value are skipped.
 */
export const readConfigs = <
  Schemas extends Record<string, ConfigSchema>,
  Own extends Derivations = Record<never, never>,
>(
  schemas: Schemas,
  environment: NodeJS.ProcessEnv,
  derive: (config: ValuesOfAll<Schemas>) => Own = () => ({}) as Own,
): ValuesOfAll<Schemas> & Derived<Own> => {
  const read = Object.entries(schemas).map(([name, schema]) => ({ name, ...readSchema(schema, environment) }))
  const failures = read.flatMap((one) => one.failures)
  const config = Object.fromEntries(read.map(({ name, values }) => [name, values]))
  const derived: Record<string, unknown> = {}
  for (const [name, derivation] of Object.entries(derive(config as ValuesOfAll<Schemas>))) {
    try {
      derived[name] = derivation()
    } catch (error) {
      if (error instanceof ConfigError) failures.push(error)
      else if (!(error instanceof UnreadableSetting)) throw error
    }
  }
  throwAll(failures)
  return { ...config, ...derived } as ValuesOfAll<Schemas> & Derived<Own>
}

/** Describes the effective settings: one row per variable, secrets masked. */
export const describeConfig = <Schema extends ConfigSchema>(schema: Schema, values: ValuesOf<Schema>) =>
  Object.entries(schema).map(([name, { variable, description, secret: isSecret, fallback, reserved: isReserved }]) => {
    const value: unknown = values[name]
    const isSet = value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
    return {
      variable,
      value: isSecret ? (isSet ? '***' : '') : value,
      isDefault: Object.is(value, fallback),
      isReserved,
      description: isReserved ? `Not in use yet. ${description}` : description,
    }
  })
