import { readFileSync } from 'node:fs'

/** Reads one variable's text, or throws a sentence that goes after its name: `must be a whole number from 1 to 65535`. */
export type Reader<Value> = (text: string) => Value

export type Setting<Value> = {
  reader: Reader<Value>
  fallback: Value
  description: string
  secret: boolean
  /** Read and checked, but nothing asks for it yet. */
  later: boolean
}

/** One service's settings: property name → environment variable and how to read it. */
export type ConfigSchema = Record<string, Setting<unknown> & { variable: string }>

/** What a schema gives, by property. */
export type ValuesOf<Schema extends ConfigSchema> = { readonly [Name in keyof Schema]: Schema[Name]['fallback'] }

/** A variable with a wrong value. The message is the one line that a person starting the program should see. */
export class ConfigFailure extends Error {
  override name = 'ConfigFailure'
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
  later: false,
})

/** A setting that is never shown. It may also be given as a file, by the same variable with `_FILE`: how clusters hand over secrets. */
export const secret = <Value>(
  variable: string,
  reader: Reader<Value>,
  fallback: NoInfer<Value>,
  description: string,
) => ({
  ...setting<Value>(variable, reader, fallback, description),
  secret: true,
})

/** Marks a setting of a feature that is not built yet: it is read and checked, and whoever sets it is told that it does nothing. */
export const later = <Declared extends ConfigSchema[string]>(declared: Declared): Declared => ({
  ...declared,
  later: true,
})

const textOf = (variable: string, isSecret: boolean, environment: NodeJS.ProcessEnv): string | undefined => {
  const direct = environment[variable]
  if (direct !== undefined && direct !== '') return direct
  const file = isSecret ? environment[`${variable}_FILE`] : undefined
  if (file === undefined || file === '') return undefined
  try {
    return readFileSync(file, 'utf8').trimEnd()
  } catch (cause) {
    throw new ConfigFailure(`${variable}_FILE names ${file}, which cannot be read.`, { cause })
  }
}

/** Files that the environment names (`<NAME>_FILE`): those of secrets are among them, and nothing that reads files for callers may read them. */
export const filesNamedIn = (environment: NodeJS.ProcessEnv): string[] =>
  Object.entries(environment).flatMap(([name, value]) => (name.endsWith('_FILE') && value ? [value] : []))

const wrongValue = (variable: string, shown: string, cause: unknown): ConfigFailure => {
  if (cause instanceof ConfigFailure) return cause
  const reason = cause instanceof Error ? cause.message : 'is wrong'
  return new ConfigFailure(`${variable} ${reason}, but is ${shown}.`, { cause })
}

/** Throws the failures as one, with each line once: schemas may share a variable. */
const throwAll = (failures: readonly ConfigFailure[]): void => {
  const [first, second] = failures
  if (!first) return
  if (!second) throw first
  const lines = new Set(failures.flatMap(({ message }) => message.split('\n')))
  throw new ConfigFailure([...lines].join('\n'), { cause: new AggregateError(failures) })
}

/** Reads a schema from the environment; an unset or empty variable takes its default. Throws one ConfigFailure with a line for each wrong value. */
export const readConfig = <Schema extends ConfigSchema>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): ValuesOf<Schema> => {
  const values: Record<string, unknown> = {}
  const failures: ConfigFailure[] = []
  for (const [name, { variable, reader, fallback, secret: isSecret }] of Object.entries(schema)) {
    let text: string | undefined
    try {
      text = textOf(variable, isSecret, environment)
      values[name] = text === undefined ? fallback : reader(text)
    } catch (cause) {
      failures.push(wrongValue(variable, isSecret ? 'its value' : JSON.stringify(text), cause))
    }
  }
  throwAll(failures)
  return Object.freeze(values) as ValuesOf<Schema>
}

/** Reads several schemas. Throws one ConfigFailure with a line for each wrong value of any of them. */
export const readConfigs = <Schemas extends Record<string, ConfigSchema>>(
  schemas: Schemas,
  environment: NodeJS.ProcessEnv,
): { readonly [Name in keyof Schemas]: ValuesOf<Schemas[Name]> } => {
  const failures: ConfigFailure[] = []
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    try {
      values[name] = readConfig(schema, environment)
    } catch (error) {
      if (!(error instanceof ConfigFailure)) throw error
      failures.push(error)
    }
  }
  throwAll(failures)
  return values as { readonly [Name in keyof Schemas]: ValuesOf<Schemas[Name]> }
}

/** What is in force, for a person: one row a variable, secrets masked. */
export const describeConfig = <Schema extends ConfigSchema>(schema: Schema, values: ValuesOf<Schema>) =>
  Object.entries(schema).map(([name, { variable, description, secret: isSecret, fallback, later: isLater }]) => {
    const value: unknown = values[name]
    const isSet = value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
    return {
      variable,
      value: isSecret ? (isSet ? '***' : '') : value,
      isDefault: Object.is(value, fallback),
      isLater,
      description: isLater ? `Not in use yet. ${description}` : description,
    }
  })
