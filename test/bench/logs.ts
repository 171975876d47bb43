import { makeCorpus } from '../../services/logs/bench/corpus.ts'
import { measureLogs } from '../../services/logs/bench/measure.ts'
import { sharedData } from '../support/shared-data.ts'
import { round } from './machine.ts'

const lines = Number(process.env.BENCH_LINES ?? 1_000_000)

/** What is found by meaning and by the scorers in the shared data, where it is there; nothing where not. */
const benchFindings = async (): Promise<string[]> => {
  const { describeScoring } = await import('../../services/logs/bench/scoring.ts')
  const { describeSemantic } = await import('../../services/logs/bench/semantic.ts')
  return [...(await describeSemantic()), ...(await describeScoring())]
}

/** Lines per second from raw text to searchable, and the time of searches over all of them. */
export const benchLogs = async (): Promise<string[]> => {
  const corpus = makeCorpus(lines, sharedData('logs', 'loghub'))
  const figures = await measureLogs(corpus)
  return [
    `${corpus.describe}:`,
    `  ${round(figures.linesPerSecond)} lines/s from raw text to searchable (target: 120,000)`,
    `  ${round(figures.megabytesPerMillionLines, 1)} MB on disk per million lines (target: at most 100)`,
    `  search, top 50 with facets: p50 ${round(figures.p50, 1)} ms, p95 ${round(figures.p95, 1)} ms (target: at most 30)`,
    ...figures.searches.map(
      ({ query, total, p50, p95 }) =>
        `    ${query.padEnd(36)} ${round(total).padStart(9)} hits  p50 ${round(p50, 1)} ms  p95 ${round(p95, 1)} ms`,
    ),
    `  ${round(figures.residentMegabytes)} MB resident, the corpus included`,
    ...(await benchFindings()),
  ]
}
