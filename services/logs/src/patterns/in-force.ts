import { libraryPatterns } from './library/mod.ts'
import type { Domain, LogPattern } from './pattern.ts'

// An entry is tagged wherever it is kept, so a thread has one set of patterns, as it has one library.
let inForce: readonly LogPattern[] = libraryPatterns
let byTag = new Map(inForce.map((pattern) => [pattern.tag, pattern]))

/** The patterns that entries are tagged with in this thread: those built in, as a user has changed them, and a user's own. */
export const patternsInForce = (): readonly LogPattern[] => inForce

/** Puts patterns to use in this thread; entries that are kept already keep their tags. */
export const usePatterns = (patterns: readonly LogPattern[]): void => {
  inForce = patterns
  byTag = new Map(patterns.map((pattern) => [pattern.tag, pattern]))
}

export const patternOf = (tag: string): LogPattern | undefined => byTag.get(tag)

/** The domain of a tag, empty for one that is not known, or not any more. */
export const domainOf = (tag: string): string => byTag.get(tag)?.domain ?? ''

export const tagsOfDomain = (domain: Domain): string[] =>
  inForce.filter((pattern) => pattern.domain === domain).map(({ tag }) => tag)
