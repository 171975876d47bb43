import { open, readFile } from 'node:fs/promises'
import { parseQuery } from '../src/search/query.ts'
import { benchQueries, openBenchEngine } from './measure.ts'

/** A process that ingests a file like an upload, searches it, and prints its maximum memory. */
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
  // Transferred rather than copied, so that read chunks do not wait for garbage collection.
  await ingest.push(bytesRead === chunkBytes ? chunk : chunk.slice(0, bytesRead))
}
await ingest.end()
await bench.engine.flush()
for (const query of benchQueries) {
  await bench.engine.search({ query: parseQuery(query), filters: {}, limit: 50, order: 'relevance', withFacets: true })
}

/**
 * In kilobytes. Kernels without a peak per program report that of the process, which includes the memory of the parent at the fork, such as the
 * bench's own corpus.
 */
const maxResident = async () => {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS)
}
const figures: ResidentFigures = { maxMegabytes: Math.round(((await maxResident()) * 1024) / 1e6) }
process.stdout.write(JSON.stringify(figures))
