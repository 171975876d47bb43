import { serviceError } from '../errors/mod.ts'

/** What every database takes as a value. */
export type Parameter = null | number | bigint | string | Uint8Array

/**
 * A value of a query as both databases take it: booleans are 0 and 1, a Date is ISO text. What one of them would store as
 * something else without a word is refused: `undefined`, objects, and U+0000, which Postgres cannot hold in text.
 */
export const toParameter = (value: unknown): Parameter => {
  if (value === undefined) throw new TypeError('A parameter of a query is undefined. Use null for an unknown value.')
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  if (value === null || typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'string') {
    if (value.includes('\0')) throw serviceError('invalid', 'Text may not hold the character U+0000.')
    return value
  }
  if (value instanceof Uint8Array) return value
  throw new TypeError('A parameter of a query is an object. Turn it into JSON text first.')
}
