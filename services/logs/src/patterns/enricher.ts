import { severityCode } from '../entries/severity-code.ts'
import { guessSeverity, severityWords } from '../formats/severity-guess.ts'
import type { Enricher } from '../segments/enricher.ts'
import { patternsInForce } from './in-force.ts'
import { isMatch, type LogPattern } from './pattern.ts'

/** So much of a text is matched: traces name their trouble at the top, and no pattern is slow on this much of anything. */
const lookedAt = 4_096

/** The tags of the patterns that a text matches, in the library's order. */
export const matchPatterns = (text: string, candidates: Iterable<LogPattern> = patternsInForce()): LogPattern[] => {
  const start = text.length > lookedAt ? text.slice(0, lookedAt) : text
  return [...candidates].filter((pattern) => isMatch(pattern, start))
}

const worst = (severities: readonly number[]): number =>
  severities.reduce((best, code) => (code !== 0 && (best === 0 || code < best) ? code : best), 0)

/** A line's own level stands. Without one, the words decide; what a pattern means can only make it worse. */
const severityFor = (text: string, known: number | undefined, matched: readonly LogPattern[]): number =>
  known ??
  worst([guessSeverity(text), ...matched.map(({ severity }) => (severity === null ? 0 : severityCode[severity]))])

/** Patterns and severity for the index: the words of all patterns and of the severity's rules are what it listens for. */
export const createEnricher = (patterns: readonly LogPattern[] = patternsInForce()): Enricher => {
  const words = [...new Set([...patterns.flatMap((pattern) => pattern.words), ...severityWords])]
  const guesses = new Set(severityWords)
  const byWord = words.map((word) => ({
    isGuess: guesses.has(word),
    patterns: patterns.filter((pattern) => pattern.words.includes(word)),
  }))
  return {
    words,
    enrich: (text, found, known) => {
      const candidates = new Set<LogPattern>()
      let mayGuess = false
      for (const word of found) {
        mayGuess ||= byWord[word]?.isGuess === true
        for (const pattern of byWord[word]?.patterns ?? []) candidates.add(pattern)
      }
      const matched = candidates.size === 0 ? [] : matchPatterns(text, candidates)
      const severity = mayGuess || matched.length > 0 ? severityFor(text, known, matched) : (known ?? 0)
      return { severity, patterns: matched.map(({ tag }) => tag) }
    },
  }
}
