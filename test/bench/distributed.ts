import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Corpus, makeCorpus } from '../../services/logs/bench/corpus.ts'
import { benchQueries } from '../../services/logs/bench/measure.ts'
import { sharedData } from '../support/shared-data.ts'
import { type Form, startTrellis, type Trellis } from '../support/trellis.ts'
import { round } from './machine.ts'
import { measureReplicas } from './streams.ts'

const lines = Number(process.env.BENCH_LINES ?? 300_000)
const searchRounds = 10

type Installation = { name: string; form: Form; replicas: number }

const installations: readonly Installation[] = [
  { name: 'in one process', form: 'embedded', replicas: 1 },
  { name: 'distributed, 1 replica', form: 'distributed', replicas: 1 },
  { name: 'distributed, 2 replicas', form: 'distributed', replicas: 2 },
]

type Load = { perSecond: number; p50: number; p99: number }

const connections = 16

/** Load on all edges at once, from one process per edge. */
const load = async (origins: readonly string[], path: string): Promise<Load> => {
  const script = fileURLToPath(new URL('./load.ts', import.meta.url))
  const each = String(connections / origins.length)
  const loads = await Promise.all(
    origins.map(async (origin) => {
      const { stdout } = await promisify(execFile)(process.execPath, [script, `${origin}${path}`, each, '3'])
      return JSON.parse(stdout) as Load
    }),
  )
  return {
    perSecond: loads.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50: Math.max(...loads.map(({ p50 }) => p50)),
    p99: Math.max(...loads.map(({ p99 }) => p99)),
  }
}

/** Sends a corpus as one upload; resolves when all of it is searchable. */
const upload = async (origin: string, { chunks }: Corpus): Promise<{ entries: number; seconds: number }> => {
  const boundary = 'trellis-bench'
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="bench.log"\r\ncontent-type: text/plain\r\n\r\n`
  const began = performance.now()
  const sending = request(`${origin}/logs/api/ingest/upload?wait=true`, {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  })
  const answered = new Promise<string>((resolve, reject) => {
    sending.once('error', reject).once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('end', () => resolve(text))
    })
  })
  await pipeline(Readable.from([Buffer.from(head), ...chunks, Buffer.from(`\r\n--${boundary}--\r\n`)]), sending)
  const body = JSON.parse(await answered) as { counts?: { entries: number }; detail?: unknown }
  if (!body.counts) throw new Error(`The upload failed: ${JSON.stringify(body)}`)
  return { entries: body.counts.entries, seconds: (performance.now() - began) / 1_000 }
}

const searchOnce = async (origin: string, query: string): Promise<number> => {
  const began = performance.now()
  const response = await fetch(`${origin}/logs/api/search?limit=50&q=${encodeURIComponent(query)}`)
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`A search answered ${response.status}.`)
  return performance.now() - began
}

const percentiles = (times: number[]): { p50: number; p95: number } => {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95) }
}

/** Runs each query `rounds` times and returns the latencies. */
const searchAll = async (origin: string, rounds: number): Promise<number[]> => {
  const times: number[] = []
  for (let turn = 0; turn < rounds; turn += 1)
    for (const query of benchQueries) times.push(await searchOnce(origin, query))
  return times
}

type Figures = { calls: Load; linesPerSecond: number; cold: number[]; warm: number[] }

const start = ({ form, replicas }: Installation, dataDirectory?: string): Promise<Trellis> =>
  startTrellis(
    { TRELLIS_REPLICAS: String(replicas), RATE_LIMIT: '100000000', RATE_LIMIT_SEARCHES: '0' },
    { form, ...(dataDirectory ? { dataDirectory } : {}) },
  )

const measure = async (installation: Installation, corpus: Corpus): Promise<Figures> => {
  await using trellis = await start(installation)
  await load(trellis.origins, '/logs/health')
  const calls = await load(trellis.origins, '/logs/health')
  const { entries, seconds } = await upload(trellis.origin, corpus)
  await trellis.stop()
  await using again = await start(installation, trellis.dataDirectory)
  const cold = await searchAll(again.origin, 1)
  await searchAll(again.origin, 2)
  const warm = await searchAll(again.origin, searchRounds)
  await again.stop()
  return { calls, linesPerSecond: entries / seconds, cold, warm }
}

/** Measures the same work in one process, and in separate processes over gRPC, JetStream, Postgres and S3 with one and two replicas. */
export const benchDistributed = async (): Promise<string[]> => {
  const corpus = makeCorpus(lines, sharedData('logs', 'loghub'))
  const figures: [Installation, Figures][] = []
  for (const installation of installations) figures.push([installation, await measure(installation, corpus)])
  const row = (name: string, text: string) => `  ${name.padEnd(24)} ${text}`
  const ms = (times: number[]) => {
    const { p50, p95 } = percentiles(times)
    return `p50 ${round(p50, 1)} ms, p95 ${round(p95, 1)} ms`
  }
  return [
    'Everything shares this machine: clients, processes, NATS, Postgres and the S3 store.',
    `GET of a trivial route, ${connections} connections over all edges, 3 s:`,
    ...figures.map(([{ name }, { calls }]) =>
      row(name, `${round(calls.perSecond).padStart(8)} req/s  p50 ${round(calls.p50)} ms  p99 ${round(calls.p99)} ms`),
    ),
    `${corpus.describe}; one upload, until all is searchable:`,
    ...figures.map(([{ name }, { linesPerSecond }]) => row(name, `${round(linesPerSecond).padStart(8)} lines/s`)),
    `Searches of ${round(lines)} lines over HTTP, top 50 with facets, after a restart (cold: each query for the first time; warm: ${searchRounds} rounds):`,
    ...figures.map(([{ name }, { cold, warm }]) => row(name, `cold ${ms(cold)};  warm ${ms(warm)}`)),
    'Events of one stream through JetStream, one publisher, until the last client has the last one:',
    ...(await measureReplicas(1)),
    ...(await measureReplicas(2)),
  ]
}
