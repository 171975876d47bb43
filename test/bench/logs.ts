import { makeCorpus } from '../../services/logs/bench/corpus.ts'
import { measureLogs } from '../../services/logs/bench/measure.ts'
import { measureInChild } from '../../services/logs/bench/measure-child.ts'
import { sharedData } from '../support/shared-data.ts'
import { round } from './machine.ts'

const lines = Number(process.env.BENCH_LINES ?? 2_000_000)

/** What the engine is to reach on two cores with two million lines. */
const bars = {
  linesPerSecond: 150_000,
  proudLinesPerSecond: 250_000,
  megabytesPerMillionLines: 100,
  p95: 20,
  residentMegabytes: 400,
  openMilliseconds: 1_500,
}
/** So many lines are opened. */
const openedLines = 100_000_000

/** From raw text to searchable, and searches over all of it; memory and opening in processes of their own. */
const benchEngine = async (): Promise<string[]> => {
  const corpus = makeCorpus(lines, sharedData('logs', 'loghub'))
  const figures = await measureLogs(corpus)
  const child = await measureInChild(corpus, openedLines)
  return [
    `${corpus.describe}:`,
    `  ${round(figures.linesPerSecond)} lines/s from raw text to searchable (bar: ${round(bars.linesPerSecond)}, to be proud of: ${round(bars.proudLinesPerSecond)})`,
    `  ${round(figures.megabytesPerMillionLines, 1)} MB on disk per million lines (bar: at most ${bars.megabytesPerMillionLines})`,
    `  search, top 50 with facets: p50 ${round(figures.p50, 1)} ms, p95 ${round(figures.p95, 1)} ms (bar: at most ${bars.p95})`,
    ...figures.searches.map(
      ({ query, total, p50, p95 }) =>
        `    ${query.padEnd(36)} ${round(total).padStart(9)} hits  p50 ${round(p50, 1)} ms  p95 ${round(p95, 1)} ms`,
    ),
    `  at most ${round(child.maxMegabytes)} MB resident in a process that does that from a file (bar: ${bars.residentMegabytes})`,
    `  ${round(child.lines)} lines in ${child.segments} segments open in ${round(child.openMilliseconds)} ms (bar: ${round(bars.openMilliseconds)}), the newest 50 of them at first in ${round(child.searchMilliseconds)} ms (copies of the same times, so that each is looked at), ${round(child.residentMegabytes)} MB resident then`,
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
