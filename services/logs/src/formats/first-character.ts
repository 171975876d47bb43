import { allCharacters, type Characters, createPatternSteps } from './pattern-steps.ts'

const known = new WeakMap<RegExp, Characters>()

/** The characters a pattern that is bound to the start may begin with; all where its source does not say so plainly. */
export const firstCharactersOf = (pattern: RegExp): Characters => {
  const before = known.get(pattern)
  if (before) return before
  const steps = createPatternSteps().begin(pattern)
  const found = allCharacters.map((_, code) => Number(steps.some(({ characters }) => characters[code] === 1)))
  known.set(pattern, found)
  return found
}

/** Spares a pattern most lines at the price of one look. */
export const mayStart = (first: Characters, line: string): boolean => {
  const code = line.charCodeAt(0)
  return !(code < first.length) || first[code] === 1
}
