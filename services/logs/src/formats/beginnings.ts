import { asciiCharacters, createPatternSteps, type Step } from './pattern-steps.ts'

/** Which of many patterns a line may match, told by how it begins. */
export type Beginnings = {
  /** The places of the patterns that the line may match, ascending: of most lines a few. It matches none of the others. */
  mayMatch: (line: string) => readonly number[]
}

/** So far a line is looked at, past a time and a host, or until so few patterns are left: trying these costs less than looking further. */
const maxCharacters = 40
const fewPatterns = 3
/** Beginnings that are told apart, a kilobyte each. A line that begins in yet another way is left with more patterns. */
const maxStates = 4_000

type PatternStep = { pattern: number; step: Step }

/** What lines that begin alike may match. */
type State = {
  /** The next steps of each pattern that is still possible. */
  steps: readonly PatternStep[]
  patterns: readonly number[]
  /** Whether it is not worth looking further. */
  isSettled: boolean
  /** By the next character; made as lines need them. */
  next: (State | undefined)[]
}

/** The steps after a character, in the order of their patterns. A pattern that may have ended there matches, whatever else of it could go on. */
const stepsAfter = (steps: readonly PatternStep[], code: number): PatternStep[] => {
  const byPattern = new Map<number, Set<Step>>()
  for (const { pattern, step } of steps) {
    if (step.characters[code] !== 1) continue
    const found = byPattern.get(pattern) ?? new Set()
    byPattern.set(pattern, found)
    for (const next of step.next()) found.add(next)
  }
  return [...byPattern].flatMap(([pattern, found]) => {
    const ended = [...found].filter(({ isEnd }) => isEnd)
    const kept = ended.length > 0 ? ended : [...found].toSorted((one, other) => one.id - other.id)
    return kept.map((step) => ({ pattern, step }))
  })
}

const newState = (steps: readonly PatternStep[]): State => {
  const patterns = [...new Set(steps.map(({ pattern }) => pattern))]
  const isSettled = patterns.length <= fewPatterns || steps.every(({ step }) => step.isEnd)
  return { steps, patterns, isSettled, next: new Array<State | undefined>(asciiCharacters).fill(undefined) }
}

/**
 * All patterns as one automaton, which is made as lines need it. To tell a line's format by trying two hundred expressions one after the
 * other took twenty of them even where each was first held against the line's first character; this leaves three or four.
 */
export const createBeginnings = (patterns: readonly RegExp[]): Beginnings => {
  const states = new Map<string, State>()
  const { begin } = createPatternSteps()

  const advance = (state: State, code: number): State | undefined => {
    if (states.size >= maxStates) return undefined
    const steps = stepsAfter(state.steps, code)
    const key = steps.map(({ pattern, step }) => `${pattern}:${step.id}`).join(' ')
    const reached = states.get(key) ?? newState(steps)
    states.set(key, reached)
    state.next[code] = reached
    return reached
  }
  const begun = (): State =>
    newState(patterns.flatMap((expression, pattern) => begin(expression).map((step) => ({ pattern, step }))))
  let start: State | undefined
  return {
    mayMatch: (line) => {
      const end = Math.min(line.length, maxCharacters)
      start ??= begun()
      let state = start
      for (let at = 0; at < end && !state.isSettled; at++) {
        const code = line.charCodeAt(at)
        // Past ASCII a step may take two characters at once.
        if (code >= asciiCharacters) break
        const next = state.next[code] ?? advance(state, code)
        if (next === undefined) break
        state = next
      }
      return state.patterns
    },
  }
}
