/** Maximum nesting of lists and objects in the fields of an entry. */
export const maxNesting = 64

/**
 * Whether a JSON value is nested deeper than fields may be. A few thousand levels overflow the stack of the structured clone between threads,
 * so that every search that finds such an entry would fail.
 */
export const isTooNested = (value: unknown, levels = maxNesting): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isTooNested(inner, levels - 1)))
