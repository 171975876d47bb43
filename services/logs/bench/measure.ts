import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@trellis/kit/store'
import { parseQuery } from '../src/search/query.ts'
import type { Catalogue } from '../src/segments/catalogue.ts'
import { type CatalogueTables, catalogueMigrations, createCatalogue } from '../src/segments/catalogue-store.ts'
import { createLogEngine } from '../src/threads/engine.ts'
import type { LogEngine } from '../src/threads/log-engine.ts'
import type { Corpus } from './corpus.ts'

export type SearchFigure = { query: string; total: number; p50: number; p95: number }
export type LogFigures = {
  lines: number
  /** From the first byte until the last line is durable and searchable; includes starting the threads. */
  linesPerSecond: number
  megabytesPerMillionLines: number
  searches: SearchFigure[]
  p50: number
  p95: number
}

/** One to three words, frequent and rare, and a prefix; each returns fifty hits with facets and histogram. */
export const benchQueries = [
  'kernel',
  'info',
  'sshd',
  'zookeeper',
  'error failed',
  'kernel OR error OR info',
  'packetresponder terminating',
  'authentication failure root',
  'quorumpeer OR zookeeper',
  'kern*',
]

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
export const round = (value: number) => Math.round(value * 10) / 10

const measureSearch = async (
  engine: LogEngine,
  query: string,
  rounds: number,
): Promise<{ total: number; times: number[] }> => {
  const times: number[] = []
  let total = 0
  for (let round = -1; round < rounds; round++) {
    const started = performance.now()
    const result = await engine.search({
      query: parseQuery(query),
      filters: {},
      limit: 50,
      order: 'relevance',
      withFacets: true,
    })
    // The first round warms the caches.
    if (round >= 0) times.push(performance.now() - started)
    total = result.total
  }
  return { total, times: times.toSorted((a, b) => a - b) }
}

export type BenchEngine = AsyncDisposable & { engine: LogEngine; catalogue: Catalogue }

/** The engine of a single process on a folder, with its catalogue. */
export const openBenchEngine = async (directory: string): Promise<BenchEngine> => {
  const store = await openStore<CatalogueTables>({
    name: 'logs',
    dataDirectory: directory,
    migrations: catalogueMigrations,
  })
  const catalogue = createCatalogue(store.db)
  const engine = createLogEngine({ directory, catalogue, onProblem: (problem) => process.stderr.write(`${problem}\n`) })
  return {
    engine,
    catalogue,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await store.close()
    },
  }
}

/** Ingests a corpus into a new folder and searches it. */
export const measureLogs = async ({ chunks, lines }: Corpus, rounds = 20): Promise<LogFigures> => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'))
  const bench = await openBenchEngine(directory)
  const { engine, catalogue } = bench
  try {
    const started = performance.now()
    const file = await engine.ingestFile({
      source: { sourceId: 'bench', branch: null, tenantId: null },
      reference: Date.now(),
    })
    for (const chunk of chunks) await file.push(Uint8Array.from(chunk))
    await file.end()
    const seconds = (performance.now() - started) / 1000
    await engine.flush()
    const bytes = (await catalogue.list()).reduce((sum, segment) => sum + segment.bytes, 0)
    const searches: SearchFigure[] = []
    const all: number[] = []
    for (const query of benchQueries) {
      const { total, times } = await measureSearch(engine, query, rounds)
      all.push(...times)
      searches.push({ query, total, p50: round(percentile(times, 0.5)), p95: round(percentile(times, 0.95)) })
    }
    const sorted = all.toSorted((a, b) => a - b)
    return {
      lines,
      linesPerSecond: Math.round(lines / seconds),
      megabytesPerMillionLines: round(bytes / lines),
      searches,
      p50: round(percentile(sorted, 0.5)),
      p95: round(percentile(sorted, 0.95)),
    }
  } finally {
    await bench[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  }
}
