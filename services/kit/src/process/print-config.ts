import { type ConfigSchema, describeConfig, type ValuesOf } from '../config/mod.ts'

/** A part of what a process is told: whom it is for, its schema and what is in force. */
export type ConfigPart = {
  name: string
  schema: ConfigSchema
  // biome-ignore lint/suspicious/noExplicitAny: the values of its own schema, which `configPart` checks
  values: any
}

/** Joins a schema with its values. */
export const configPart = <Schema extends ConfigSchema>(
  name: string,
  schema: Schema,
  values: ValuesOf<Schema>,
): ConfigPart => ({ name, schema, values })

/** What is in force, as text for a person: variables by part, secrets masked, defaults marked. */
export const printConfig = (parts: readonly ConfigPart[]): string =>
  parts
    .flatMap(({ name, schema, values }) => [
      `# ${name}`,
      ...describeConfig(schema, values).map(({ variable, value, isDefault, description }) => {
        const shown = Array.isArray(value) ? value.join(',') : String(value ?? '')
        return `${`${variable}=${shown}`.padEnd(48)}  # ${isDefault ? 'default. ' : ''}${description}`
      }),
      '',
    ])
    .join('\n')

/** Variables that somebody has set, but that nothing asks for yet. */
export const setButNotInUse = (parts: readonly ConfigPart[]): string[] =>
  parts.flatMap(({ schema, values }) =>
    describeConfig(schema, values)
      .filter(({ isReserved, isDefault }) => isReserved && !isDefault)
      .map(({ variable }) => variable),
  )
