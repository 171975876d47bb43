import { repetitionOf } from './plan-costs.ts'

/** Largest number of bars in a row whose drums are chosen to go on as in the source. */
const longestFollow = 4
/** Bars in a row that drums may repeat in the same order. */
const longestRepeat = 2

/** What drums have been played under a plan, step by step, and which may follow: without a loop, a long copy, or the same bar again. `size` is the number of steps of a bar. */
export const createDrumPath = (size: number) => {
  const path: number[] = []
  const pairs = new Set<string>()
  const uses = new Map<number, number[]>()
  let [follows, repetition] = [0, { lag: 0, length: 0 }]
  const usesOf = (step: number) => (uses.get(step) ?? []).map((at) => path.length - at).reverse()
  return {
    last: () => path.at(-1),
    usesOf,
    /** How many steps have been played again after `lag` steps. */
    repeatedAfter: (lag = 0) => (lag > 0 ? path.filter((step, i) => path[i - lag] === step).length : 0),
    /** Whether the drums of a bar may sound under another, before `next`, the step that is played afterwards. */
    allows(first: number, drums: number, next: number | undefined) {
      const isNext = path.at(-1) === drums - 1
      const isPair = pairs.has(`${first}/${drums}`)
      const isAgain = Array.from({ length: size }).some((_, i) => path.at(i - size) === drums + i)
      if (isPair || isAgain || next === drums + size) return false
      if (isNext && follows + size > longestFollow * size) return false
      return repetitionOf(usesOf(drums), repetition).length + size - 1 <= longestRepeat * size
    },
    play(step: number, drums: number) {
      repetition = repetitionOf(usesOf(drums), repetition)
      follows = path.at(-1) === drums - 1 ? follows + 1 : 1
      uses.set(drums, [...(uses.get(drums) ?? []), path.length])
      path.push(drums)
      pairs.add(`${step}/${drums}`)
    },
  }
}
