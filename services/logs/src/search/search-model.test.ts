import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryIdOf } from '../entries/identity.ts'
import type { Severity } from '../entries/severity-code.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { countSources } from '../segments/count-sources.ts'
import { codeOfLength, lengthOfCode } from '../segments/document-length.ts'
import type { Shard } from '../segments/shard.ts'
import { batchOf, createShardFolder } from '../segments/store-for-tests.ts'
import { wordsOf } from '../segments/tokens.ts'
import { acceptsOrigin, type Filters } from './filters.ts'
import { isEmptyQuery, matchesWords, parseQuery, type Query } from './query.ts'
import { inverseFrequency } from './rank.ts'
import { type SearchRequest, type SearchResult, search } from './search.ts'

/** A naive engine: all entries in an array, every question answered by looking at each text. */
type Kept = {
  text: string
  sequence: number
  time: number
  ingestTime: number
  sourceId: string
  severity: Severity | null
}
const originOf = (sourceId: string) => ({ sourceId, branch: null, tenantId: null, format: 'plain' })

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
  acceptsOrigin(filters, originOf(entry.sourceId)) &&
  (filters.since === undefined || entry.time >= filters.since) &&
  (filters.until === undefined || entry.time < filters.until) &&
  (filters.severities === undefined || filters.severities.includes(entry.severity))

const searchModel = (kept: readonly Kept[], { query, filters, order }: SearchRequest) => {
  const scores = query && order === 'relevance' ? modelScores(kept, query) : kept.map(() => 0)
  const sign = order === 'oldest' ? -1 : 1
  return kept
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

const words = ['error', 'disk', 'Kernel', 'panic', 'user', 'a1', 'b22', 'über', '日本', '東日本語x', '本', '❌', 'x']
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
  '日本語',
  '本 error',
  '"panic 日本"',
  '-日 disk',
  '❌ OR 語',
  'a1 OR b22 error',
  '"unclosed',
  'OR',
  '"panic ker"*',
  '-"kernel panic" kernel',
  '-"error disk"',
  'disk OR "kernel panic" OR 10.0.0.1',
  'ker* -"disk user" -"a1 b22"',
  '"failed x" OR "x failed" -10.0.0.1',
  'nothing',
  'error OR disk OR kernel OR user OR x OR failed',
  'error OR disk OR kernel -user',
  'failed x',
  '***',
)
const everyFilters: readonly Filters[] = [
  {},
  { source: 'app' },
  { source: 'host:one' },
  { since: 1_000_020_000 },
  { until: 1_000_020_000 },
  { severities: ['ERROR', 'CRITICAL'] },
  { severities: [null] },
  { severities: [null, 'WARN'], source: 'app' },
  { source: 'host:one:unit', since: 1_000_010_000, until: 1_000_040_000 },
  { source: 'host:one', until: 1_000_040_000, severities: ['ERROR', null] },
]
const anyFilters = fc.constantFrom(...everyFilters)
const orders = ['relevance', 'time', 'oldest'] as const
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
      order: fc.constantFrom(...orders),
      limit: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'flush' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'again' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      source: fc.constantFrom('app', 'host:one', 'host:one:unit', 'host:none'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('grade' as const),
      which: fc.nat(),
      severity: fc.constantFrom<Severity | null>('CRITICAL', 'ERROR', 'WARN', null),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'expire' as const }) },
)

const searchShard = async (shard: Shard, request: SearchRequest): Promise<SearchResult> => {
  const parts = shard.parts()
  try {
    return await search(parts, request, { domainOf: () => '', leaders: 8 })
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
    for (const severity of ['CRITICAL', 'ERROR', 'WARN', null] as const) {
      const counted = page.facets?.severity.find(({ value }) => value === severity)?.count ?? 0
      expect(counted).toBe(expected.filter(({ entry }) => entry.severity === severity).length)
    }
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

/** What the engine counts of sources, and what the array says. */
const compareSources = async (shard: Shard, kept: readonly Kept[], filters: Filters) => {
  const parts = shard.parts()
  try {
    const counts = await countSources(parts, filters)
    const bySource = Map.groupBy(
      kept.filter((entry) => passes(entry, filters)),
      ({ sourceId }) => sourceId,
    )
    const expected = [...bySource].map(([sourceId, entries]) => ({
      sourceId,
      entries: entries.length,
      bySeverity: [null, 'CRITICAL', 'ERROR', 'WARN'].map(
        (severity) => entries.filter((entry) => entry.severity === severity).length,
      ),
    }))
    const bySourceId = (one: { sourceId: string }, other: { sourceId: string }) =>
      one.sourceId < other.sourceId ? -1 : 1
    expect(
      counts.map(({ firstTime, lastTime, ...count }) => count).toSorted(bySourceId),
      JSON.stringify(filters),
    ).toEqual(expected.toSorted(bySourceId))
    for (const { sourceId, firstTime, lastTime } of counts) {
      const times = (bySource.get(sourceId) ?? []).map(({ time }) => time)
      expect(firstTime).toBeLessThanOrEqual(Math.min(...times))
      expect(lastTime).toBeGreaterThanOrEqual(Math.max(...times))
    }
  } finally {
    for (const part of parts) part.release()
  }
}
const idOf = ({ sourceId, sequence, time, text }: Kept) =>
  entryIdOf({ sourceId, sequence, timestampIso: new Date(time).toISOString(), text })

test('any history of batches, deletes, severities put in place, retention, flushes, restarts and repeats answers any search as a naive engine does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 20 }), async (steps) => {
      await using folder = await createShardFolder()
      let opened = await folder.open({ documents: 40 })
      let kept: Kept[] = []
      const sent: { lines: Omit<Kept, 'severity' | 'ingestTime'>[]; ingestTime: number }[] = []
      const asked: SearchRequest[] = []
      let sequence = 0
      let now = 1_700_000_000_000
      const send = async ({ lines, ingestTime }: (typeof sent)[number]) => {
        const fresh = lines.filter((line) => !kept.some((entry) => entry.sequence === line.sequence))
        expect(await opened.shard.ingest(batchOf(lines, ingestTime))).toEqual({
          entries: fresh.length,
          duplicates: lines.length - fresh.length,
        })
        kept.push(...fresh.map((line) => ({ ...line, ingestTime, severity: severityOf(line.text) })))
      }
      for (const step of steps) {
        now += 1_000
        if (step.kind === 'batch') {
          const lines = step.lines.map(({ text, sourceId, offset }) => ({
            text,
            sourceId,
            sequence: ++sequence,
            time: 1_000_000_000 + offset * 1000,
          }))
          sent.push({ lines, ingestTime: now })
          await send({ lines, ingestTime: now })
        } else if (step.kind === 'again') {
          const last = sent.at(-1)
          // It comes in now, and is of now where it had been deleted.
          if (last) await send({ ...last, ingestTime: now })
        } else if (step.kind === 'delete') {
          const isGone = ({ sourceId }: Kept) => acceptsOrigin({ source: step.source }, originOf(sourceId))
          expect(await opened.shard.deleteSource(step.source)).toBe(kept.filter(isGone).length)
          kept = kept.filter((entry) => !isGone(entry))
        } else if (step.kind === 'grade') {
          const entry = kept[step.which % Math.max(1, kept.length)]
          if (!entry) continue
          entry.severity = step.severity
          expect(await opened.shard.setSeverity(idOf(entry), step.severity)).toMatchObject({
            sequence: entry.sequence,
            severity: step.severity,
          })
        } else if (step.kind === 'expire') {
          const before = now - 6_000
          const stays = kept.filter(({ ingestTime }) => ingestTime >= before)
          expect((await opened.shard.rewrite({ kind: 'expire', before })).entries).toBe(kept.length - stays.length)
          kept = stays
        } else if (step.kind === 'flush') await opened.shard.flush()
        else if (step.kind === 'restart') {
          await opened[Symbol.asyncDispose]()
          opened = await folder.open({ documents: 40 })
        } else {
          const { query, filters, order, limit } = step
          // What is kept for a question is of use for it in another order, and must not be of harm.
          for (const each of [order, ...orders.filter((other) => other !== order)]) {
            const request = { query: parseQuery(query), filters, order: each, limit, withFacets: true }
            asked.push(request)
            await compare(opened.shard, kept, request)
          }
        }
      }
      expect(opened.problems).toEqual([])
      for (const filters of everyFilters) await compareSources(opened.shard, kept, filters)
      await opened.shard.settled()
      await compare(opened.shard, kept, { query: null, filters: {}, order: 'time', limit: 1000, withFacets: true })
      for (const filters of everyFilters) await compareSources(opened.shard, kept, filters)
      // What was counted for a question before is part of the answer to the same question now.
      for (const request of asked) await compare(opened.shard, kept, request)
      await opened[Symbol.asyncDispose]()
    }),
    { numRuns: 40, endOnFailure: true },
  )
}, 240_000)
