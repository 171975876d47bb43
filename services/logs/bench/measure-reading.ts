import { setTimeout as sleep } from 'node:timers/promises'
import { createAnomalyScoring } from '../src/scoring/score-anomalies.ts'
import { wholeRange } from '../src/scoring/source-range.ts'
import { parseQuery } from '../src/search/query.ts'
import type { LogEngine } from '../src/threads/log-engine.ts'
import { withEngine } from './with-engine.ts'

export type ReadingFigures = {
  entries: number
  findings: number
  /** Distinct entries with the score of a finding, and the searches needed to read them. */
  scored: number
  searches: number
  /** Processor time of scoring the whole source without concurrent searches, of all threads, and the elapsed time. */
  processorMilliseconds: number
  milliseconds: number
  /** Durations of a user's searches while the source was scored again, and before, in ms, sorted. */
  during: number[]
  before: number[]
}

const never = new AbortController().signal
const sourceId = 'sample'
const linesPerPush = 2_000
const begin = Date.parse('2026-03-01T00:00:00Z')
const day = 24 * 3_600_000
const betweenSearches = 50
const searchesBefore = 40

/** Ingests sample lines spread over a day, each prefixed by its own time. */
const feed = async (engine: LogEngine, samples: readonly string[], count: number) => {
  const file = await engine.ingestFile({ source: { sourceId, branch: null, tenantId: null }, reference: begin + day })
  for (let first = 0; first < count; first += linesPerPush) {
    const lines = Array.from({ length: Math.min(linesPerPush, count - first) }, (_, index) => {
      const number = first + index
      return `${new Date(begin + (number * day) / count).toISOString()} ${samples[(number * 7_919) % samples.length]}\n`
    })
    await file.push(Uint8Array.from(Buffer.from(lines.join(''), 'latin1')))
  }
  await file.end()
}

const query = parseQuery('connection failed')
const searchAsUser = async (engine: LogEngine): Promise<number> => {
  const began = performance.now()
  await engine.search({ query, filters: {}, limit: 50, order: 'relevance', withFacets: true })
  return performance.now() - began
}
const searchUntil = async (engine: LogEngine, isOver: () => boolean): Promise<number[]> => {
  const took: number[] = []
  while (!isOver()) {
    took.push(await searchAsUser(engine))
    await sleep(betweenSearches)
  }
  return took.toSorted((a, b) => a - b)
}

/** The cost of scoring a large source as a whole, and its effect on a user's searches. */
export const measureReading = (samples: readonly string[], count: number, min: number): Promise<ReadingFigures> =>
  withEngine(async (engine) => {
    await feed(engine, samples, count)
    await engine.flush()
    const [source] = await engine.sources({})
    if (!source) throw new Error('No entry of the samples was read.')
    let rest = searchesBefore
    const before = await searchUntil(engine, () => rest-- === 0)
    let searches = 0
    const counting: Pick<LogEngine, 'search' | 'templates'> = {
      templates: engine.templates,
      search: (request, signal) => {
        searches++
        return engine.search(request, signal)
      },
    }
    const used = process.cpuUsage()
    const began = performance.now()
    const { findings } = await createAnomalyScoring(counting, min)(wholeRange(source), never)
    const { user, system } = process.cpuUsage(used)
    const milliseconds = performance.now() - began
    let isScored = false
    const again = createAnomalyScoring(engine, min)(wholeRange(source), never).finally(() => {
      isScored = true
    })
    const [during] = await Promise.all([searchUntil(engine, () => isScored), again])
    return {
      entries: source.entries,
      findings: findings.length,
      scored: new Set(findings.flatMap(({ entry, also }) => [entry, ...also].map(({ entryId }) => entryId))).size,
      searches,
      processorMilliseconds: (user + system) / 1_000,
      milliseconds,
      during,
      before,
    }
  })
