import { makeCorpus } from '../../services/logs/bench/corpus.ts'
import { measureLogs } from '../../services/logs/bench/measure.ts'
import { measureInChild } from '../../services/logs/bench/measure-child.ts'
import { sharedData } from '../support/shared-data.ts'
import { round } from './machine.ts'

const lines = Number(process.env.BENCH_LINES ?? 2_000_000)

/** Targets of the engine on two cores with two million lines. */
const bars = {
  linesPerSecond: 150_000,
  stretchLinesPerSecond: 250_000,
  megabytesPerMillionLines: 100,
  p95: 20,
  residentMegabytes: 400,
  openMilliseconds: 1_500,
}
/** Lines in the store whose opening is measured. */
const openedLines = 100_000_000

/** Measures ingestion from raw text to searchable, and searches over all lines; memory and opening are measured in a child process. */
const benchEngine = async (): Promise<string[]> => {
  const corpus = makeCorpus(lines, sharedData('logs', 'loghub'))
  const figures = await measureLogs(corpus)
  const child = await measureInChild(corpus, openedLines)
  return [
    `${corpus.describe}:`,
    `  ${round(figures.linesPerSecond)} lines/s from raw text to searchable (target: ${round(bars.linesPerSecond)}, stretch goal: ${round(bars.stretchLinesPerSecond)})`,
    `  ${round(figures.megabytesPerMillionLines, 1)} MB on disk per million lines (target: at most ${bars.megabytesPerMillionLines})`,
    `  search, top 50 with facets: p50 ${round(figures.p50, 1)} ms, p95 ${round(figures.p95, 1)} ms (target: at most ${bars.p95})`,
    ...figures.searches.map(
      ({ query, total, p50, p95 }) =>
        `    ${query.padEnd(36)} ${round(total).padStart(9)} hits  p50 ${round(p50, 1)} ms  p95 ${round(p95, 1)} ms`,
    ),
    `  at most ${round(child.maxMegabytes)} MB resident in a process that ingests and searches from a file (target: ${bars.residentMegabytes})`,
    `  ${round(child.lines)} lines in ${child.segments} segments open in ${round(child.openMilliseconds)} ms (target: ${round(bars.openMilliseconds)}); the first search for the newest 50 takes ${round(child.searchMilliseconds)} ms (segments are copies with equal times, so all are searched); ${round(child.residentMegabytes)} MB resident afterwards`,
  ]
}

/** Quality and speed of template mining, semantic search and the scorers on the shared data. */
const findings: readonly (() => Promise<string[]>)[] = [
  async () => (await import('../../services/logs/bench/templates.ts')).describeTemplates(),
  async () => (await import('../../services/logs/bench/semantic.ts')).describeSemantic(),
  async () => (await import('../../services/logs/bench/scoring.ts')).describeScoring(),
]

export async function* benchLogs(): AsyncGenerator<string[]> {
  yield await benchEngine()
  for (const measure of findings) yield await measure()
}
