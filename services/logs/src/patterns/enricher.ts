import { severityCode } from '../entries/severity-code.ts'
import { worseOf } from '../formats/levels.ts'
import { guessSeverity, severityWords } from '../formats/severity-guess.ts'
import type { Enricher } from '../segments/enricher.ts'
import { patternsInForce } from './in-force.ts'
import { ownLevel, ownLevelWords } from './own-level.ts'
import { isMatch, type LogPattern } from './pattern.ts'

/** So much of a text is matched: traces name their trouble at the top, and no pattern is slow on this much of anything. */
const lookedAt = 4_096

const startOf = (text: string): string => (text.length > lookedAt ? text.slice(0, lookedAt) : text)
const none: readonly string[] = []

/** The patterns that a text matches, in the library's order. */
export const matchPatterns = (text: string, candidates: Iterable<LogPattern> = patternsInForce()): LogPattern[] => {
  const start = startOf(text)
  return [...candidates].filter((pattern) => isMatch(pattern, start))
}

/** A line's own level stands, behind whatever header. Without one, the words decide; what a pattern means can only make it worse. */
const severityFor = (text: string, known: number | undefined, matched: readonly LogPattern[]): number =>
  known ??
  ownLevel(text) ??
  matched.map(({ severity }) => (severity === null ? 0 : severityCode[severity])).reduce(worseOf, guessSeverity(text))

/** Patterns and severity for the index: the words of all patterns and of the severity's rules are what it listens for. */
export const createEnricher = (patterns: readonly LogPattern[] = patternsInForce()): Enricher => {
  const words = [...new Set([...patterns.flatMap((pattern) => pattern.words), ...severityWords, ...ownLevelWords])]
  const guesses = new Set([...severityWords, ...ownLevelWords])
  const byWord = words.map((word) => ({
    isGuess: guesses.has(word),
    patterns: [...patterns.keys()].filter((place) => patterns[place]?.words.includes(word)),
  }))
  /** The text that each pattern was held against last, by its number: a pattern has many words, and is held against a text once. */
  const lastText = new Float64Array(patterns.length)
  let texts = 0
  return {
    words,
    enrich: (text, found, known) => {
      texts++
      const start = startOf(text)
      let matched: LogPattern[] | undefined
      let mayGuess = false
      for (const word of found) {
        const listens = byWord[word]
        if (!listens) continue
        mayGuess ||= listens.isGuess
        for (const place of listens.patterns) {
          const pattern = patterns[place]
          if (lastText[place] === texts || !pattern) continue
          lastText[place] = texts
          if (!isMatch(pattern, start)) continue
          matched ??= []
          matched.push(pattern)
        }
      }
      if (matched) return { severity: severityFor(text, known, matched), patterns: matched.map(({ tag }) => tag) }
      return { severity: mayGuess ? severityFor(text, known, []) : (known ?? 0), patterns: none }
    },
  }
}
