import { open, readFile } from 'node:fs/promises'
import { parseQuery } from '../src/search/query.ts'
import { benchQueries, openBenchEngine } from './measure.ts'

/** A process that takes in a file as an upload would come, searches it, and prints how much memory it had at most. */
export type ResidentFigures = { maxMegabytes: number }

const chunkBytes = 256 * 1024
const [directory = '', file = ''] = process.argv.slice(2)
await using bench = await openBenchEngine(directory)
const ingest = await bench.engine.ingestFile({
  source: { sourceId: 'bench', branch: null, tenantId: null },
  reference: Date.now(),
})
await using content = await open(file)
for (;;) {
  const chunk = new Uint8Array(chunkBytes)
  const { bytesRead } = await content.read(chunk)
  if (bytesRead === 0) break
  // Handed over and not copied: what has been read is nobody's to collect here.
  await ingest.push(bytesRead === chunkBytes ? chunk : chunk.slice(0, bytesRead))
}
await ingest.end()
await bench.engine.flush()
for (const query of benchQueries) {
  await bench.engine.search({ query: parseQuery(query), filters: {}, limit: 50, order: 'relevance', withFacets: true })
}

/**
 * In kilobytes. Where the kernel keeps no mark by program there is only that of the process, which begins with all that its parent held when it
 * was forked: it would tell of the bench's own corpus.
 */
const maxResident = async () => {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS)
}
const figures: ResidentFigures = { maxMegabytes: Math.round(((await maxResident()) * 1024) / 1e6) }
process.stdout.write(JSON.stringify(figures))
