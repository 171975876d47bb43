import { amountOf } from './quantity.ts'

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

const nameOf = (value: unknown): unknown => (isMap(value) ? value.name : undefined)

/** Lists of named items may contain further items that others added; other lists must match exactly. */
const coversList = (actual: readonly unknown[], desired: readonly unknown[]): boolean =>
  desired.every((item) => nameOf(item) !== undefined)
    ? desired.every((item) => actual.some((one) => nameOf(one) === nameOf(item) && covers(one, item)))
    : actual.length === desired.length && desired.every((item, at) => covers(actual[at], item))

/** Fields that contain a quantity, or a map of quantities. The server returns `1` for `1000m`. */
const quantityFields: ReadonlySet<string> = new Set(['requests', 'limits', 'sizeLimit'])

const coversQuantity = (actual: unknown, desired: unknown): boolean => {
  if (isMap(desired))
    return isMap(actual) && Object.entries(desired).every(([name, value]) => coversQuantity(actual[name], value))
  return String(actual) === String(desired) || amountOf(String(actual)) === amountOf(String(desired))
}

const coversField = (name: string, actual: unknown, desired: unknown): boolean =>
  quantityFields.has(name) && !isEmpty(desired) ? coversQuantity(actual, desired) : covers(actual, desired)

/**
 * Whether an object contains everything desired, regardless of what the server and others added. The server omits an
 * empty text, such as the value of an environment variable.
 */
export const covers = (actual: unknown, desired: unknown): boolean => {
  if (isEmpty(desired)) return true
  if (desired === '') return actual === undefined || actual === ''
  if (Array.isArray(desired)) return Array.isArray(actual) && coversList(actual, desired)
  if (isMap(desired))
    return isMap(actual) && Object.entries(desired).every(([name, value]) => coversField(name, actual[name], value))
  return String(actual) === String(desired)
}

const sizeOf = (value: unknown): number => (typeof value === 'object' && value !== null ? Object.keys(value).length : 0)

/**
 * Builds a merge patch that makes a field exactly the desired value, removing what others added; undefined if it
 * already is. Applying the field would not do: additions of other managers would stay.
 */
export const correction = (actual: unknown, desired: object): unknown => {
  if (covers(actual, desired) && sizeOf(actual) === sizeOf(desired)) return undefined
  if (Array.isArray(desired) || !isMap(actual)) return desired
  return { ...Object.fromEntries(Object.keys(actual).map((name) => [name, null])), ...desired }
}
