/** The form of a noun that goes with a number. `many` is the plural where it is not `one` plus -s. */
export const nounFor = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many)

/** A number with its noun: `1 line`, `1,200 lines`. */
export const counted = (count: number, one: string, many?: string): string =>
  `${count.toLocaleString('en')} ${nounFor(count, one, many)}`
