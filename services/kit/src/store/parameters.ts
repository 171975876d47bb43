import { nullCharacterDetail, serviceError } from '../errors/mod.ts'

/** Values that both databases accept. */
export type Parameter = null | number | bigint | string | Uint8Array

/**
 * Converts a value of a query for both databases: booleans to 0 and 1, a Date to ISO text. Rejects values that one of them
 * would silently store as something else or cannot store: `undefined`, objects, and U+0000, which Postgres cannot store in text.
 */
export const toParameter = (value: unknown): Parameter => {
  if (value === undefined) throw new TypeError('A parameter of a query is undefined. Use null for an unknown value.')
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  if (value === null || typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'string') {
    if (value.includes('\0')) throw serviceError('invalid', nullCharacterDetail)
    return value
  }
  if (value instanceof Uint8Array) return value
  throw new TypeError('A parameter of a query is an object. Turn it into JSON text first.')
}
