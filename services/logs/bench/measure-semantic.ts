import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { logsConfig } from '../src/config.ts'
import { createModel } from '../src/models/model.ts'
import { openEngine } from '../src/open-engine.ts'
import { logsMigrations } from '../src/schemas.ts'
import { parseQuery } from '../src/search/query.ts'
import type { FoundEntry, SearchRequest } from '../src/search/search.ts'
import { loosenQuery } from '../src/semantic/loosen-query.ts'
import { createSemanticSearch } from '../src/semantic/semantic-search.ts'
import { createTextVectors } from '../src/semantic/text-vectors.ts'
import { judgedSymptoms } from './judged.ts'

/** Figures of one search method: nDCG of the first ten, symptoms with an answer among them, and median duration. */
export type SemanticFigure = { way: string; ndcg: number; answered: number; medianMilliseconds: number }

const maxResults = 10

/** Normalized discounted cumulative gain (Järvelin and Kekäläinen, 2002) of the first ten, with gain 1 for an answer. */
const gainOf = (entries: readonly FoundEntry[], answers: RegExp, possible: number): number => {
  const discount = (rank: number) => 1 / Math.log2(rank + 2)
  const gained = entries.reduce((sum, { entry }, rank) => sum + (answers.test(entry.text) ? discount(rank) : 0), 0)
  const best = Array.from({ length: Math.min(maxResults, possible) }, (_, rank) => discount(rank)).reduce(
    (a, b) => a + b,
    0,
  )
  return best === 0 ? 0 : gained / best
}

/** Searches the Loghub samples for symptoms worded differently: by all words, by any of the words, and by words and meaning. */
export const measureSemantic = async (samples: string, modelFolder: string): Promise<SemanticFigure[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const store = await openStore<never>({ name: 'logs', dataDirectory: directory, migrations: logsMigrations })
  stack.defer(() => store.close())
  const bus = stack.use(createMemoryBus())
  const options = { config: readConfig(logsConfig, {}), dataDirectory: directory, bus, log: silentLog }
  const { engine } = stack.use(await openEngine(options, store as never))
  const lines: string[] = []
  for (const name of readdirSync(samples).filter((entry) => entry !== 'LICENSE')) {
    const text = gunzipSync(readFileSync(join(samples, name, `${name}_2k.log.gz`)))
    lines.push(...text.toString('utf8').split(/\r?\n/))
    const file = await engine.ingestFile({
      source: { sourceId: name, branch: null, tenantId: null },
      reference: Date.now(),
    })
    await file.push(Uint8Array.from(text))
    await file.end()
  }
  const model = stack.use(
    createModel({
      directory: modelFolder,
      task: 'embedding',
      onProblem: (problem) => process.stderr.write(`${problem}\n`),
    }),
  )
  const vectors = createTextVectors({ db: store.db as never, model, now: Date.now })
  const semantic = createSemanticSearch({
    engine,
    vectors,
    waitMilliseconds: 120_000,
    onProblem: (error) => process.stderr.write(`${String(error)}\n`),
  })
  const counted = await engine.templates({ filters: {} })
  // Wait for the vectors that a server computes in the background.
  for (let known = 0; known < counted.filter(({ template }) => template !== '').length * 0.95; ) {
    await semantic({ q: 'warm up', words: requestOf('warm up'), cursor: undefined })
    const rows = await store.db
      .selectFrom('log_text_vectors' as never)
      .selectAll()
      .execute()
    if (rows.length === known) break
    known = rows.length
    await new Promise((resolve) => setTimeout(resolve, 3_000))
  }
  const ways: [string, (symptom: string) => Promise<readonly FoundEntry[]>][] = [
    ['by all words (BM25)', async (q) => (await engine.search(requestOf(q))).entries],
    [
      'by any of the words (BM25)',
      async (q) => {
        const { query, ...rest } = requestOf(q)
        return (await engine.search({ ...rest, query: query && loosenQuery(query) })).entries
      },
    ],
    [
      'by words and meaning',
      async (q) => {
        const answer = await semantic({ q, words: requestOf(q), cursor: undefined })
        return answer.kind === 'hybrid' ? answer.result.entries : []
      },
    ],
  ]
  const figures: SemanticFigure[] = []
  for (const [way, search] of ways) {
    const gains: number[] = []
    const times: number[] = []
    let answered = 0
    for (const { symptom, answers } of judgedSymptoms) {
      const began = performance.now()
      const entries = await search(symptom)
      times.push(performance.now() - began)
      gains.push(gainOf(entries, answers, lines.filter((line) => answers.test(line)).length))
      if (entries.some(({ entry }) => answers.test(entry.text))) answered++
    }
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length
    const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
    figures.push({ way, ndcg: Math.round(mean * 1000) / 1000, answered, medianMilliseconds: Math.round(median) })
  }
  return figures
}

const requestOf = (q: string): Omit<SearchRequest, 'after'> => ({
  query: parseQuery(q),
  filters: {},
  limit: maxResults,
  order: 'relevance',
  withFacets: false,
})
