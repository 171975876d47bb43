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

/**
 * Whether an object contains everything desired, regardless of what the server and others added. It may return false if
 * the server normalizes a value (`1000m` to `1`); applying once more then changes nothing.
 */
export const covers = (actual: unknown, desired: unknown): boolean => {
  if (isEmpty(desired)) return true
  if (Array.isArray(desired)) return Array.isArray(actual) && coversList(actual, desired)
  if (isMap(desired))
    return isMap(actual) && Object.entries(desired).every(([name, value]) => covers(actual[name], value))
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
