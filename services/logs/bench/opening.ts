import { openBenchEngine } from './measure.ts'

/** A process that opens the store in a folder and prints the durations of opening and of the first search. */
export type OpeningFigures = { openMilliseconds: number; searchMilliseconds: number; residentMegabytes: number }

const [directory = ''] = process.argv.slice(2)
await using bench = await openBenchEngine(directory)
const started = performance.now()
await bench.engine.sources({})
const opened = performance.now()
await bench.engine.search({ query: null, filters: {}, limit: 50, order: 'time', withFacets: false })
const figures: OpeningFigures = {
  openMilliseconds: Math.round(opened - started),
  searchMilliseconds: Math.round(performance.now() - opened),
  residentMegabytes: Math.round(process.memoryUsage.rss() / 1e6),
}
process.stdout.write(JSON.stringify(figures))
