import { libraryPatterns } from './library/mod.ts'
import type { Domain, LogPattern } from './pattern.ts'

// Entries are tagged in each thread that stores them, so each thread has one set of patterns.
let active: readonly LogPattern[] = libraryPatterns
let byTag = new Map(active.map((pattern) => [pattern.tag, pattern]))

/** The patterns that tag entries in this thread: the built-in ones with a user's overrides, and the user's own. */
export const activePatterns = (): readonly LogPattern[] => active

/** Replaces the patterns of this thread; stored entries retain their tags. */
export const usePatterns = (patterns: readonly LogPattern[]): void => {
  active = patterns
  byTag = new Map(patterns.map((pattern) => [pattern.tag, pattern]))
}

export const patternOf = (tag: string): LogPattern | undefined => byTag.get(tag)

/** The domain of a tag; empty if the tag is unknown or was removed. */
export const domainOf = (tag: string): string => byTag.get(tag)?.domain ?? ''

export const tagsOfDomain = (domain: Domain): string[] =>
  active.filter((pattern) => pattern.domain === domain).map(({ tag }) => tag)
