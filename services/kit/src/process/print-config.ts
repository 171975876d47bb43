import { type ConfigSchema, describeConfig, type ValuesOf } from '../config/mod.ts'

/** A part of the configuration of a process: its title, schema and values. */
export type ConfigPart = {
  name: string
  schema: ConfigSchema
  // biome-ignore lint/suspicious/noExplicitAny: the values of its own schema, which `configPart` checks
  values: any
}

/** Pairs a schema with its values. */
export const configPart = <Schema extends ConfigSchema>(
  name: string,
  schema: Schema,
  values: ValuesOf<Schema>,
): ConfigPart => ({ name, schema, values })

/** Formats the effective configuration: variables by part, secrets masked, defaults marked. */
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

/** Reserved variables that are set, but not used by this version. */
export const setButNotInUse = (parts: readonly ConfigPart[]): string[] =>
  parts.flatMap(({ schema, values }) =>
    describeConfig(schema, values)
      .filter(({ isReserved, isDefault }) => isReserved && !isDefault)
      .map(({ variable }) => variable),
  )
