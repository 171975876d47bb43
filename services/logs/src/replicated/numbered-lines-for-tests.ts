import type { Line } from '../segments/store-for-tests.ts'

/** Distinct numbered lines, from a number on. */
export const numbered = (amount: number, from = 0): Line[] =>
  Array.from({ length: amount }, (_, index) => ({ text: `line n${from + index} of many`, sequence: from + index + 1 }))
