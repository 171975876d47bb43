import type { StoredEntry } from '../entries/entry.ts'
import { wordsOf } from '../segments/tokens.ts'

/** Only the beginning of a text is looked at: what comes later is detail. */
const maxCharacters = 4_096
/** Of an entry that matches synonyms only, where other entries have words of the question. */
const loggedShare = 0.3
/** What each further word adds, and how much words can add in all. */
const furtherShare = 0.5
const maxShare = 2

/** How many of the words an entry has in its text or in the name of its source. */
const matchesIn = ({ text, origin }: StoredEntry, keywords: readonly string[]): number => {
  const words = new Set(wordsOf(`${origin.sourceId} ${text.slice(0, maxCharacters)}`))
  return keywords.filter((word) => words.has(word)).length
}

export type Nearness = {
  /** Whether any entry has a word of the question itself. */
  hasMatches: boolean
  /** 1 for an entry with one word of the question, up to 2 with more of them, less with none. */
  shareOf: (entry: StoredEntry) => number
}

/** How near entries are to a question by the words that they share with it. */
export const nearnessOf = (entries: readonly StoredEntry[], keywords: readonly string[]): Nearness => {
  const matches = new Map(entries.map((entry) => [entry.entryId, matchesIn(entry, keywords)]))
  const hasMatches = [...matches.values()].some((count) => count > 0)
  return {
    hasMatches,
    shareOf: ({ entryId }) => {
      const count = matches.get(entryId) ?? 0
      if (count === 0) return hasMatches ? loggedShare : 1
      return Math.min(maxShare, 1 + (count - 1) * furtherShare)
    },
  }
}
