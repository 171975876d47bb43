const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

const nameOf = (value: unknown): unknown => (isMap(value) ? value.name : undefined)

/** Lists of named things may have more of them, which others added; other lists are as they were applied, or not. */
const coversList = (actual: readonly unknown[], desired: readonly unknown[]): boolean =>
  desired.every((item) => nameOf(item) !== undefined)
    ? desired.every((item) => actual.some((one) => nameOf(one) === nameOf(item) && covers(one, item)))
    : actual.length === desired.length && desired.every((item, at) => covers(actual[at], item))

/**
 * Whether an object is as it was asked for, whatever the server and others have filled in beside it. It may say no where
 * the server writes a value in another way (`1000m` as `1`); to apply once more changes nothing then.
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
 * A merge patch that makes a field what is desired and nothing else, where others have put something in; undefined where
 * it is so. To apply the field would not do: what others have put in is theirs then, and stays.
 */
export const correction = (actual: unknown, desired: object): unknown => {
  if (covers(actual, desired) && sizeOf(actual) === sizeOf(desired)) return undefined
  if (Array.isArray(desired) || !isMap(actual)) return desired
  return { ...Object.fromEntries(Object.keys(actual).map((name) => [name, null])), ...desired }
}
