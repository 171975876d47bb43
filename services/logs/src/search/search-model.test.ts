import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Severity } from '../entries/severity-code.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { codeOfLength, lengthOfCode } from '../segments/document-length.ts'
import type { Shard } from '../segments/shard.ts'
import { batchOf, createShardFolder } from '../segments/store-for-tests.ts'
import { wordsOf } from '../segments/tokens.ts'
import { acceptsOrigin, type Filters } from './filters.ts'
import { isEmptyQuery, matchesWords, parseQuery, type Query } from './query.ts'
import { inverseFrequency } from './rank.ts'
import { type SearchRequest, type SearchResult, search } from './search.ts'

/** A naive engine: all entries in an array, every question answered by looking at each text. */
type Kept = { text: string; sequence: number; time: number; sourceId: string; severity: Severity | null }

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

const modelScores = (kept: readonly Kept[], query: Query): number[] => {
  const corpus = kept.map(({ text }) => wordsOf(text))
  const average = Math.max(1, corpus.reduce((sum, words) => sum + words.length, 0) / Math.max(1, kept.length))
  const terms = modelTerms(query)
  return corpus.map((words) => {
    const length = lengthOfCode[codeOfLength(words.length)] ?? 0
    return terms.reduce((score, { word, isPrefix }) => {
      const having = corpus.filter((others) => countOf(others, word, isPrefix) > 0).length
      const count = countOf(words, word, isPrefix)
      return count === 0
        ? score
        : score +
            (inverseFrequency(kept.length, having) * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average))
    }, 0)
  })
}

const passes = (entry: Kept, filters: Filters) =>
  acceptsOrigin(filters, { sourceId: entry.sourceId, branch: null, tenantId: null, format: 'plain' }) &&
  (filters.since === undefined || entry.time >= filters.since) &&
  (filters.until === undefined || entry.time < filters.until) &&
  (filters.severities === undefined || (entry.severity !== null && filters.severities.includes(entry.severity)))

const searchModel = (kept: readonly Kept[], { query, filters, order }: SearchRequest) => {
  const scores = query && order === 'relevance' ? modelScores(kept, query) : kept.map(() => 0)
  return kept
    .map((entry, index) => ({ entry, score: scores[index] ?? 0 }))
    .filter(
      ({ entry }) =>
        passes(entry, filters) &&
        (query === null || (!isEmptyQuery(query) && matchesWords(query, wordsOf(entry.text)))),
    )
    .toSorted((a, b) => b.score - a.score || b.entry.time - a.entry.time || b.entry.sequence - a.entry.sequence)
}

const words = ['error', 'disk', 'Kernel', 'panic', 'user', 'a1', 'b22', 'über', '日本', 'x']
const anyText = fc
  .array(fc.constantFrom(...words, '10.0.0.1', '--', 'failed'), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(' '))
const anyLine = fc.record({
  text: anyText,
  sourceId: fc.constantFrom('app', 'host:one:unit', 'host:one:other'),
  offset: fc.integer({ min: 0, max: 50 }),
})
const anyQuery = fc.constantFrom(
  '',
  'error',
  'kernel panic',
  'disk OR über',
  '"kernel panic"',
  'ker*',
  'error -disk',
  '-error',
  '"error disk" user',
  '10.0.0.1',
  '日本',
  'a1 OR b22 error',
  '"unclosed',
  'OR',
  '"panic ker"*',
  '-"kernel panic" kernel',
  'nothing',
  'failed x',
  '***',
)
const anyFilters: fc.Arbitrary<Filters> = fc.constantFrom<Filters>(
  {},
  { source: 'app' },
  { source: 'host:one' },
  { since: 1_000_020_000 },
  { until: 1_000_020_000 },
  { severities: ['ERROR', 'CRITICAL'] },
  { source: 'host:one:unit', since: 1_000_010_000, until: 1_000_040_000 },
)
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      lines: fc.array(anyLine, { minLength: 1, maxLength: 30 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      query: anyQuery,
      filters: anyFilters,
      order: fc.constantFrom('relevance' as const, 'time' as const),
      limit: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'flush' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'again' as const }) },
)

const searchShard = async (shard: Shard, request: SearchRequest): Promise<SearchResult> => {
  const parts = shard.parts()
  try {
    return await search(parts, request, { domainOf: () => '' })
  } finally {
    for (const part of parts) part.release()
  }
}

const compare = async (shard: Shard, kept: readonly Kept[], request: SearchRequest) => {
  const expected = searchModel(kept, request)
  const found: string[] = []
  let after = request.after
  let total = -1
  for (;;) {
    const page = await searchShard(shard, { ...request, ...(after && { after }) })
    total = page.total
    expect(page.totalIsExact).toBe(true)
    expect(page.histogram?.counts.reduce((sum, count) => sum + count, 0) ?? 0).toBe(total)
    expect(page.facets?.source.reduce((sum, { count }) => sum + count, 0)).toBe(total)
    for (const { entry, score } of page.entries) found.push(`${entry.sequence} ${score.toFixed(9)} ${entry.severity}`)
    if (!page.next) break
    after = page.next
  }
  expect(total).toBe(expected.length)
  expect(found).toEqual(expected.map(({ entry, score }) => `${entry.sequence} ${score.toFixed(9)} ${entry.severity}`))
}

const enricher = createEnricher()
const everyWord = enricher.words
const severityOf = (text: string): Severity | null => {
  const having = new Set(wordsOf(text))
  const found = everyWord.flatMap((word, index) => (having.has(word) ? [index] : []))
  const code = found.length === 0 ? 0 : enricher.enrich(text, found, undefined).severity
  return (['CRITICAL', 'ERROR', 'WARN'] as const)[code - 1] ?? null
}

test('any history of batches, flushes, restarts and repeats answers any search as a naive engine does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 16 }), async (steps) => {
      await using folder = await createShardFolder()
      let opened = await folder.open({ documents: 40 })
      const kept: Kept[] = []
      let last: ArrayBuffer | undefined
      for (const step of steps) {
        if (step.kind === 'batch') {
          const first = kept.length
          const lines = step.lines.map(({ text, sourceId, offset }, index) => ({
            text,
            sourceId,
            sequence: first + index + 1,
            time: 1_000_000_000 + offset * 1000,
          }))
          last = batchOf(lines)
          expect(await opened.shard.ingest(last)).toEqual({ entries: lines.length, duplicates: 0 })
          kept.push(...lines.map((line) => ({ ...line, severity: severityOf(line.text) })))
        } else if (step.kind === 'again' && last) {
          expect((await opened.shard.ingest(last)).entries).toBe(0)
        } else if (step.kind === 'flush') await opened.shard.flush()
        else if (step.kind === 'restart') {
          await opened[Symbol.asyncDispose]()
          opened = await folder.open({ documents: 40 })
        } else if (step.kind === 'search') {
          const { query, filters, order, limit } = step
          await compare(opened.shard, kept, { query: parseQuery(query), filters, order, limit, withFacets: true })
        }
      }
      expect(opened.problems).toEqual([])
      await compare(opened.shard, kept, { query: null, filters: {}, order: 'time', limit: 1000, withFacets: true })
      await opened[Symbol.asyncDispose]()
    }),
    { numRuns: 25 },
  )
}, 120_000)
