import { makeCorpus } from '../../services/logs/bench/corpus.ts'
import { measureLogs } from '../../services/logs/bench/measure.ts'
import { sharedData } from '../support/shared-data.ts'
import { round } from './machine.ts'

const lines = Number(process.env.BENCH_LINES ?? 2_000_000)

/** What the engine is to reach on two cores with two million lines. */
const bars = { linesPerSecond: 150_000, proudLinesPerSecond: 250_000, megabytesPerMillionLines: 100, p95: 20 }

/** From raw text to searchable, and searches over all of it; resident memory is that of this process, with the corpus in it. */
const benchEngine = async (): Promise<string[]> => {
  const corpus = makeCorpus(lines, sharedData('logs', 'loghub'))
  const figures = await measureLogs(corpus)
  return [
    `${corpus.describe}:`,
    `  ${round(figures.linesPerSecond)} lines/s from raw text to searchable (bar: ${round(bars.linesPerSecond)}, to be proud of: ${round(bars.proudLinesPerSecond)})`,
    `  ${round(figures.megabytesPerMillionLines, 1)} MB on disk per million lines (bar: at most ${bars.megabytesPerMillionLines})`,
    `  search, top 50 with facets: p50 ${round(figures.p50, 1)} ms, p95 ${round(figures.p95, 1)} ms (bar: at most ${bars.p95})`,
    ...figures.searches.map(
      ({ query, total, p50, p95 }) =>
        `    ${query.padEnd(36)} ${round(total).padStart(9)} hits  p50 ${round(p50, 1)} ms  p95 ${round(p95, 1)} ms`,
    ),
    `  ${round(figures.residentMegabytes)} MB resident, the corpus of ${round(corpus.bytes / 1e6)} MB included`,
  ]
}

/** How well and how fast templates are found, what is found by meaning, and what the scorers find, in the shared data. */
const findings: readonly (() => Promise<string[]>)[] = [
  async () => (await import('../../services/logs/bench/templates.ts')).describeTemplates(),
  async () => (await import('../../services/logs/bench/semantic.ts')).describeSemantic(),
  async () => (await import('../../services/logs/bench/scoring.ts')).describeScoring(),
]

export async function* benchLogs(): AsyncGenerator<string[]> {
  yield await benchEngine()
  for (const measure of findings) yield await measure()
}
