/** Levels of lists and objects that the fields of an entry may have. */
export const maxNesting = 64

/**
 * Whether a JSON value has more levels than the fields of an entry may have. A few thousand exhaust the stack of what copies values between
 * threads, so that no search that finds such an entry could be answered.
 */
export const isTooNested = (value: unknown, levels = maxNesting): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isTooNested(inner, levels - 1)))
