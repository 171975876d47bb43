import { createReadStream } from 'node:fs'
import { parseQuery } from '../src/search/query.ts'
import { benchQueries, openBenchEngine } from './measure.ts'

/** A process that takes in a file as an upload would come, searches it, and prints how much memory it had at most. */
export type ResidentFigures = { mostMegabytes: number }

const [directory = '', file = ''] = process.argv.slice(2)
await using bench = await openBenchEngine(directory)
const ingest = await bench.engine.ingestFile({
  source: { sourceId: 'bench', branch: null, tenantId: null },
  reference: Date.now(),
})
for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }))
  await ingest.push(Uint8Array.from(chunk))
await ingest.end()
await bench.engine.flush()
for (const query of benchQueries) {
  await bench.engine.search({ query: parseQuery(query), filters: {}, limit: 50, order: 'relevance', withFacets: true })
}
const figures: ResidentFigures = { mostMegabytes: Math.round(process.resourceUsage().maxRSS / 1e3) }
process.stdout.write(JSON.stringify(figures))
