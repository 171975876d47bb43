import fc from 'fast-check'
import { resolve, type Schema } from './document.ts'

const nasty = [
  '',
  ' ',
  '\u0000',
  '../../etc/passwd',
  "'; drop table x; --",
  '<script>',
  '\ud83c\udfb5',
  'null',
  '-1',
  '1e999',
  'x'.repeat(5_000),
  '%00',
  '[]',
  '{}',
  '\r\nX: y',
]

const typesOf = (schema: Schema): string[] =>
  Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : []

/** A value that roughly fits a schema: formats and patterns are ignored. */
export const fitting = (unresolved: Schema, depth = 0): fc.Arbitrary<unknown> => {
  const schema = resolve(unresolved)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fitting(one, depth)))
  const arbitraries = typesOf(schema).map((type): fc.Arbitrary<unknown> => {
    switch (type) {
      case 'string':
        return fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 40, 200) })
      case 'integer':
        return fc.integer({
          min: Math.max(schema.minimum ?? -1_000, -(2 ** 31)),
          max: Math.min(schema.maximum ?? 100_000, 2 ** 31 - 1),
        })
      case 'number':
        return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true })
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      case 'array':
        return depth > 3
          ? fc.constant([])
          : fc.array(fitting(schema.items ?? {}, depth + 1), { maxLength: Math.min(schema.maxItems ?? 4, 4) })
      default:
        return objectOf(schema, depth)
    }
  })
  return arbitraries.length > 0 ? fc.oneof(...arbitraries) : fc.jsonValue({ maxDepth: 2 })
}

const objectOf = (schema: Schema, depth: number): fc.Arbitrary<unknown> =>
  fc.record(
    Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, fitting(one, depth + 1)])),
    { requiredKeys: schema.required ?? [] },
  )

/** Any JSON value, including ones that often break parsers. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...nasty,
    null,
    true,
    0,
    -1,
    1.5,
    2 ** 53,
    -(2 ** 63),
    [],
    {},
    [[]],
    { toString: 1 },
    { __proto__: null },
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Text for a path, query or header. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ maxLength: 60, unit: 'grapheme' }),
  fc.integer().map(String),
)

/** A fitting object with some of its values replaced by arbitrary ones. */
export const spoilt = (schema: Schema): fc.Arbitrary<unknown> => {
  const names = Object.keys(resolve(schema).properties ?? {})
  if (names.length === 0) return anything
  const overrides = fc.dictionary(fc.constantFrom(...names, 'unknown_key'), anything, { maxKeys: 3 })
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(fitting(schema), overrides).map(([base, extra]) => ({ ...(base as object), ...extra })),
    },
    { weight: 1, arbitrary: anything },
  )
}
