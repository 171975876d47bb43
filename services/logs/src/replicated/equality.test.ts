import { join } from 'node:path'
import { openStore } from '@trellis/kit/store'
import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Filters } from '../search/filters.ts'
import { parseQuery } from '../search/query.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import { type CatalogueTables, catalogueMigrations, createCatalogue } from '../segments/catalogue-store.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { createLogEngine } from '../threads/engine.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createKeyValue } from './replicas-for-tests.ts'

const limits = { documents: 60, textBytes: 64 * 1024, cacheBytes: 1024 * 1024 }

const openEmbedded = async (directory: string) => {
  const store = await openStore<CatalogueTables>({
    name: 'alone',
    dataDirectory: directory,
    migrations: catalogueMigrations,
  })
  const engine = createLogEngine({
    directory: join(directory, 'alone'),
    catalogue: createCatalogue(store.db),
    limits,
    onProblem: (problem) => {
      throw new Error(problem)
    },
  })
  return {
    engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await store.close()
    },
  }
}

const anyText = fc
  .array(
    fc.constantFrom('error', 'disk', 'Kernel', 'panic', 'user', 'a1', 'b22', 'über', '日本', '10.0.0.1', 'failed'),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((words) => words.join(' '))
const anyLine = fc.record({
  // Some are larger than a message and are sent as files.
  text: fc.oneof(
    { weight: 30, arbitrary: anyText },
    { weight: 1, arbitrary: anyText.map((text) => text.padEnd(4_000, ' x')) },
  ),
  sourceId: fc.constantFrom('app', 'host:one:unit', 'host:one:other'),
  offset: fc.integer({ min: 0, max: 50 }),
  isForeign: fc.boolean(),
})
const anyQuery = fc.constantFrom(
  '',
  'error',
  'kernel panic',
  'disk OR über',
  '"kernel panic"',
  'ker*',
  'error -disk',
  'x',
)
const anyFilters = fc.constantFrom<Filters>(
  {},
  { source: 'app' },
  { source: 'host:one', since: 1_000_020_000 },
  { until: 1_000_020_000 },
  { severities: ['ERROR', 'CRITICAL'] },
)
const replica = fc.integer({ min: 0, max: 1 })
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      replica,
      lines: fc.array(anyLine, { minLength: 1, maxLength: 25 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), replica, which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      replica,
      source: fc.constantFrom('app', 'host:one', 'host:one:unit', 'host:none'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('grade' as const),
      replica,
      which: fc.nat(),
      severity: fc.constantFrom('CRITICAL', 'ERROR', 'WARN', null),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      replica,
      query: anyQuery,
      filters: anyFilters,
      order: fc.constantFrom('relevance' as const, 'time' as const, 'oldest' as const),
      limit: fc.integer({ min: 1, max: 20 }),
    }),
  },
)

/** All pages of a search, in order. */
const pagesOf = async (engine: LogEngine, request: SearchRequest): Promise<SearchResult[]> => {
  const pages = [await engine.search(request)]
  for (let next = pages.at(-1)?.next; next; next = pages.at(-1)?.next)
    pages.push(await engine.search({ ...request, after: next }))
  return pages
}

/** Where a message fits two templates, the lines seen before decide; each of these engines has seen them in a different order. */
const withoutTemplates = (pages: readonly SearchResult[]) =>
  pages.map((page) => ({
    ...page,
    entries: page.entries.map((found) => ({ ...found, entry: { ...found.entry, templateId: null } })),
  }))

test('replicas answer like a single process, whatever the distribution and order of the batches', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 25 }), async (steps) => {
      await using dependencies = await createKeyValue()
      await using alone = await openEmbedded(dependencies.directory)
      await using one = await dependencies.open({ limits, messageBytes: 3_000 })
      await using other = await dependencies.open({ limits, messageBytes: 3_000 })
      const replicas = [one, other]
      const sent: { text: string; sourceId: string; sequence: number; time: number; entryId?: string }[][] = []
      const engineOf = (index: number) => (replicas[index] ?? one).engine
      const compare = async (index: number, request: SearchRequest) =>
        expect(withoutTemplates(await pagesOf(engineOf(index), request))).toEqual(
          withoutTemplates(await pagesOf(alone.engine, request)),
        )
      let sequence = 0
      for (const step of steps) {
        if (step.kind === 'batch') {
          const lines = step.lines.map(({ text, sourceId, offset, isForeign }) => {
            sequence++
            return {
              text,
              sourceId,
              sequence,
              time: 1_000_000_000 + offset * 1000,
              ...(isForeign && { entryId: `own-${sequence}` }),
            }
          })
          sent.push(lines)
          const expected = await alone.engine.ingest(batchOf(lines))
          expect(await engineOf(step.replica).ingest(batchOf(lines))).toEqual(expected)
        } else if (step.kind === 'again') {
          const lines = sent[step.which % Math.max(1, sent.length)]
          if (!lines) continue
          const expected = await alone.engine.ingest(batchOf(lines))
          expect(expected.entries + expected.duplicates).toBe(lines.length)
          expect(await engineOf(step.replica).ingest(batchOf(lines))).toEqual(expected)
        } else if (step.kind === 'delete') {
          const expected = await alone.engine.deleteSource(step.source)
          expect(await engineOf(step.replica).deleteSource(step.source)).toBe(expected)
        } else if (step.kind === 'grade') {
          const all = { query: null, filters: {}, order: 'time', limit: 1_000, withFacets: false } as const
          const { entries } = await alone.engine.search(all)
          const entryId = entries[step.which % Math.max(1, entries.length)]?.entry.entryId ?? 'none'
          const expected = await alone.engine.setSeverity(entryId, step.severity)
          expect(await engineOf(step.replica).setSeverity(entryId, step.severity)).toEqual(expected)
        } else {
          const { query, filters, order, limit } = step
          await compare(step.replica, { query: parseQuery(query), filters, order, limit, withFacets: true })
        }
      }
      for (const index of [0, 1]) {
        await compare(index, { query: null, filters: {}, order: 'time', limit: 100, withFacets: true })
        const bySource = (counts: { sourceId: string }[]) =>
          counts.toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
        expect(bySource(await engineOf(index).sources({}))).toEqual(bySource(await alone.engine.sources({})))
      }
      expect([...one.problems, ...other.problems]).toEqual([])
    }),
    { ...propertyRuns(5), endOnFailure: true },
  )
})
