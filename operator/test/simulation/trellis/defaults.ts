import { kinds } from '../../../src/crds/render.ts'
import type { Admit } from '../storage.ts'

/** The part of a schema that defines defaults. */
type Schema = { default?: unknown; properties?: Readonly<Record<string, Schema>> }

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const filledIn = ({ properties = {} }: Schema, value: unknown): unknown => {
  if (!isMap(value)) return value
  const filled = { ...value }
  for (const [name, schema] of Object.entries(properties)) {
    const held = value[name] ?? schema.default
    if (held !== undefined) filled[name] = filledIn(schema, held)
  }
  return filled
}

/** Simulates the creation of an object of our kinds in the API server: drops its status and fills in defaults. */
export const fillInDefaults: Admit = (resource, object) => {
  const kind = kinds.find(({ plural }) => plural === resource.plural)
  if (!kind) return object
  const { spec, status } = kind as unknown as { spec: { schema: Schema }; status: { schema: Schema } }
  const { status: _, ...sent } = object as { status?: unknown }
  return filledIn({ properties: { spec: spec.schema, status: status.schema } }, sent) as object
}
