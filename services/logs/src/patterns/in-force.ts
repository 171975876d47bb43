import { libraryPatterns } from './library/mod.ts'
import type { Domain, LogPattern } from './pattern.ts'

// Entries are tagged wherever they are stored, so each thread has one set of patterns.
let inForce: readonly LogPattern[] = libraryPatterns
let byTag = new Map(inForce.map((pattern) => [pattern.tag, pattern]))

/** The patterns that tag entries in this thread: the built-in ones with a user's overrides, and the user's own. */
export const patternsInForce = (): readonly LogPattern[] => inForce

/** Replaces the patterns of this thread; stored entries retain their tags. */
export const usePatterns = (patterns: readonly LogPattern[]): void => {
  inForce = patterns
  byTag = new Map(patterns.map((pattern) => [pattern.tag, pattern]))
}

export const patternOf = (tag: string): LogPattern | undefined => byTag.get(tag)

/** The domain of a tag; empty if the tag is unknown or was removed. */
export const domainOf = (tag: string): string => byTag.get(tag)?.domain ?? ''

export const tagsOfDomain = (domain: Domain): string[] =>
  inForce.filter((pattern) => pattern.domain === domain).map(({ tag }) => tag)
