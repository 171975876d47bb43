import { severityCode } from '../entries/severity-code.ts'
import { worseOf } from '../formats/levels.ts'
import { guessSeverity, severityWords } from '../formats/severity-guess.ts'
import type { Enricher } from '../segments/enricher.ts'
import { activePatterns } from './active-patterns.ts'
import { ownLevel, ownLevelWords } from './own-level.ts'
import { isMatch, type LogPattern } from './pattern.ts'

/** Only the beginning of a text is matched: traces name the error at the top, and patterns stay fast on this length. */
const maxMatchedCharacters = 4_096

const startOf = (text: string): string =>
  text.length > maxMatchedCharacters ? text.slice(0, maxMatchedCharacters) : text
const none: readonly string[] = []

/** The patterns that a text matches, in the library's order. */
export const matchPatterns = (text: string, candidates: Iterable<LogPattern> = activePatterns()): LogPattern[] => {
  const start = startOf(text)
  return [...candidates].filter((pattern) => isMatch(pattern, start))
}

/** The level in the line wins, whatever header precedes it. Without one, words decide; matching patterns can only raise the severity. */
const severityFor = (text: string, known: number | undefined, matched: readonly LogPattern[]): number =>
  known ??
  ownLevel(text) ??
  matched.map(({ severity }) => (severity === null ? 0 : severityCode[severity])).reduce(worseOf, guessSeverity(text))

/** Finds patterns and severity for the index, triggered by the words of all patterns and of the severity rules. */
export const createEnricher = (patterns: readonly LogPattern[] = activePatterns()): Enricher => {
  const words = [...new Set([...patterns.flatMap((pattern) => pattern.words), ...severityWords, ...ownLevelWords])]
  const guesses = new Set([...severityWords, ...ownLevelWords])
  const byWord = words.map((word) => ({
    isGuess: guesses.has(word),
    patterns: [...patterns.keys()].filter((index) => patterns[index]?.words.includes(word)),
  }))
  /** The number of the last text that each pattern was tested against: a pattern has many words, but is tested once per text. */
  const lastText = new Float64Array(patterns.length)
  let texts = 0
  return {
    words,
    enrich: (text, found, known) => {
      texts++
      const start = startOf(text)
      let matched: LogPattern[] | undefined
      // A stack trace often names its error in a word that is not listened for.
      let mayGuess = text.includes('\n')
      for (const word of found) {
        const triggered = byWord[word]
        if (!triggered) continue
        mayGuess ||= triggered.isGuess
        for (const index of triggered.patterns) {
          const pattern = patterns[index]
          if (lastText[index] === texts || !pattern) continue
          lastText[index] = texts
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
