import type { StoredEntry } from '../entries/entry.ts'
import { wordsOf } from '../segments/tokens.ts'

/** Characters examined: the beginning of a text is relevant, the rest is detail. */
const maxCharacters = 4_096
/** Share of an entry that only matches synonyms, if other entries match words of the question. */
const loggedShare = 0.3
/** The increment for each further word, and the maximum of the share. */
const furtherShare = 0.5
const maxShare = 2

/** Words of questions that every failure has: they tell which entries matter, but not what the question is about. */
const anyFailure = new Set('error errors fail failed failing fails failure failures warning warnings'.split(' '))

/** The number of words that an entry has in its text or in the name of its source. */
const matchesIn = ({ text, origin }: StoredEntry, keywords: readonly string[]): number => {
  const words = new Set(wordsOf(`${origin.sourceId} ${text.slice(0, maxCharacters)}`))
  return keywords.filter((word) => words.has(word)).length
}

export type Nearness = {
  /** Whether any entry has a word of the question itself. */
  hasMatches: boolean
  /** Whether an entry has a word of the question itself. */
  isMatch: (entry: StoredEntry) => boolean
  /** 1 for an entry with one word of the question, up to 2 with more of them, less with none. */
  shareOf: (entry: StoredEntry) => number
}

/** Measures how near entries are to a question by the words that they share with it. */
export const nearnessOf = (entries: readonly StoredEntry[], keywords: readonly string[]): Nearness => {
  const particular = keywords.filter((word) => !anyFailure.has(word))
  const matches = new Map(entries.map((entry) => [entry.entryId, matchesIn(entry, particular)]))
  const hasMatches = [...matches.values()].some((count) => count > 0)
  return {
    hasMatches,
    isMatch: ({ entryId }) => (matches.get(entryId) ?? 0) > 0,
    shareOf: ({ entryId }) => {
      const count = matches.get(entryId) ?? 0
      if (count === 0) return hasMatches ? loggedShare : 1
      return Math.min(maxShare, 1 + (count - 1) * furtherShare)
    },
  }
}
