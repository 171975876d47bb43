import { entryIdOf } from '../entries/identity.ts'
import type { Severity } from '../entries/severity-code.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { codeOfLength, lengthOfCode } from '../segments/document-length.ts'
import { wordsOf } from '../segments/tokens.ts'
import { acceptsOrigin, type Filters } from './filters.ts'
import { isEmptyQuery, matchesWords, type Query } from './query.ts'
import { inverseFrequency } from './rank.ts'
import type { SearchRequest } from './search.ts'

/** An entry of the naive engine, which stores all entries in an array and reads every text for each search. */
export type Stored = {
  text: string
  sequence: number
  time: number
  ingestTime: number
  sourceId: string
  severity: Severity | null
}
export const originOf = (sourceId: string) => ({ sourceId, branch: null, tenantId: null, format: 'plain' })

const countOf = (words: string[], word: string, isPrefix: boolean) =>
  Math.min(255, words.filter((found) => (isPrefix ? found.startsWith(word) : found === word)).length)

const modelTerms = (query: Query) => {
  const terms = query.clauses
    .flat()
    .flatMap((leaf) =>
      leaf.words.map((word, index) => ({ word, isPrefix: leaf.isPrefix && index === leaf.words.length - 1 })),
    )
  return [...new Map(terms.map((term) => [`${term.word}${term.isPrefix}`, term])).values()]
}

const modelScores = (stored: readonly Stored[], query: Query): number[] => {
  const corpus = stored.map(({ text }) => wordsOf(text))
  const average = Math.max(1, corpus.reduce((sum, words) => sum + words.length, 0) / Math.max(1, stored.length))
  const terms = modelTerms(query)
  return corpus.map((words) => {
    const length = lengthOfCode[codeOfLength(words.length)] ?? 0
    return terms.reduce((score, { word, isPrefix }) => {
      const having = corpus.filter((others) => countOf(others, word, isPrefix) > 0).length
      const count = countOf(words, word, isPrefix)
      return count === 0
        ? score
        : score +
            (inverseFrequency(stored.length, having) * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average))
    }, 0)
  })
}

export const passes = (entry: Stored, filters: Filters) =>
  acceptsOrigin(filters, originOf(entry.sourceId)) &&
  (filters.since === undefined || entry.time >= filters.since) &&
  (filters.until === undefined || entry.time < filters.until) &&
  (filters.severities === undefined || filters.severities.includes(entry.severity))

export const searchModel = (stored: readonly Stored[], { query, filters, order }: SearchRequest) => {
  const scores = query && order === 'relevance' ? modelScores(stored, query) : stored.map(() => 0)
  const sign = order === 'oldest' ? -1 : 1
  return stored
    .map((entry, index) => ({ entry, score: scores[index] ?? 0 }))
    .filter(
      ({ entry }) =>
        passes(entry, filters) &&
        (query === null || (!isEmptyQuery(query) && matchesWords(query, wordsOf(entry.text)))),
    )
    .toSorted(
      (a, b) =>
        b.score - a.score || sign * (b.entry.time - a.entry.time) || sign * (b.entry.sequence - a.entry.sequence),
    )
}

const enricher = createEnricher()
const everyWord = enricher.words
export const severityOf = (text: string): Severity | null => {
  const having = new Set(wordsOf(text))
  const found = everyWord.flatMap((word, index) => (having.has(word) ? [index] : []))
  const code = found.length === 0 ? 0 : enricher.enrich(text, found, undefined).severity
  return (['CRITICAL', 'ERROR', 'WARN'] as const)[code - 1] ?? null
}

export const idOf = ({ sourceId, sequence, time, text }: Stored) =>
  entryIdOf({ sourceId, sequence, timestampIso: new Date(time).toISOString(), text })
