import type { Line } from '../segments/store-for-tests.ts'

/** Lines that can be told apart and counted, from a number on. */
export const numbered = (amount: number, from = 0): Line[] =>
  Array.from({ length: amount }, (_, index) => ({ text: `line n${from + index} of many`, sequence: from + index + 1 }))
