import { apiVersion, type Kind } from './kind.ts'
import { kinds } from './render.ts'
import type { JsonSchema } from './schema.ts'

/** A field of a kind as a row of a table. */
type Row = { path: string; type: string; limits: string; meaning: string }

const typeOf = ({ type, format, items, ...schema }: JsonSchema): string => {
  if (schema['x-kubernetes-int-or-string']) return 'quantity'
  if (items) return `list of ${typeOf(items)}`
  return format === 'date-time' ? 'time' : (type ?? 'value')
}

const lengthOf = ({ minLength, maxLength }: JsonSchema): string =>
  minLength === undefined ? `at most ${maxLength} characters` : `${minLength} to ${maxLength} characters`

const words = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ')

const rangeOf = ({ minimum, maximum }: JsonSchema): string[] => {
  if (minimum === undefined && maximum === undefined) return []
  if (maximum === undefined) return [`from ${minimum}`]
  return [minimum === undefined ? `to ${maximum}` : `${minimum} to ${maximum}`]
}

/** Summarizes the limits of a value; rules between fields are in the descriptions and error messages. */
const limitsOf = (schema: JsonSchema, isRequired: boolean): string =>
  [
    ...(isRequired ? ['**required**'] : []),
    ...(schema.enum ? [words(schema.enum)] : []),
    ...rangeOf(schema),
    ...(schema.maxLength === undefined || schema['x-kubernetes-int-or-string'] ? [] : [lengthOf(schema)]),
    ...(schema.maxItems === undefined ? [] : [`at most ${schema.maxItems}`]),
    ...(schema.default === undefined || typeof schema.default === 'object' ? [] : [`default \`${schema.default}\``]),
  ].join('; ')

/**
 * The description without the leading field name, which `kubectl explain` needs, and without the default, which has its
 * own column.
 */
const meaningOf = (name: string, { description, default: value }: JsonSchema): string => {
  const whole = description.startsWith(`${name} `) ? description.slice(name.length + 1) : description
  const text = whole.replace(/^(is|are) /, '').replace(` Default: ${value}.`, '')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replaceAll('|', '\\|')
}

const rowsOf = (schema: JsonSchema, prefix: string): Row[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]): Row[] => {
    const path = `${prefix}${name}`
    const limits = limitsOf(field, schema.required?.includes(name) ?? false)
    const row = { path, type: typeOf(field), limits, meaning: meaningOf(name, field) }
    if (field.items?.properties) return [row, ...rowsOf(field.items, `${path}[].`)]
    return [row, ...rowsOf(field, `${path}.`)]
  })

const tableOf = (rows: readonly Row[]): string =>
  [
    '| Field | Type | Limits | Meaning |',
    '|---|---|---|---|',
    ...rows.map(({ path, type, limits, meaning }) => `| \`${path}\` | ${type} | ${limits} | ${meaning} |`),
  ].join('\n')

const sectionOf = ({ kind, plural, shortName, description, spec, status, selectable }: Kind): string => {
  const names = `\`${plural}\`, short \`${shortName}\``
  const selectors = selectable.map((path) => path.slice(1))
  return [
    `## ${kind}`,
    meaningOf(kind, { description }),
    `${names}. Selectable by \`--field-selector\`: ${words(selectors)}.`,
    `### Spec of a ${kind}`,
    tableOf(rowsOf(spec.schema, '')),
    `### Status of a ${kind}`,
    tableOf(rowsOf(status.schema, '')),
  ].join('\n\n')
}

const head = `<!-- Generated from operator/src/crds by "npm run generate"; change it there. -->

# Fields of the kinds

All of \`${apiVersion}\`. \`kubectl explain search.spec --recursive\` shows the same for your cluster.
How the kinds are used: [operator.md](../operator.md).
`

/** Renders the page of all fields of all kinds as Markdown. Deterministic. */
export const renderReference = (): string => `${[head.trimEnd(), ...kinds.map(sectionOf)].join('\n\n')}\n`
