import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openReplica, type Replica, type Shared } from '../src/replicated/replicas-for-tests.ts'
import { parseQuery } from '../src/search/query.ts'
import { shardLimits } from '../src/segments/shard.ts'
import { batchOf } from '../src/segments/store-for-tests.ts'
import type { Corpus } from './corpus.ts'
import { benchQueries, percentile, round } from './measure.ts'

export type ReplicaFigures = {
  replicas: number
  /** From the first byte until the last line is committed and searchable on every replica; includes starting the threads. */
  linesPerSecond: number
  /** Of this process with all its threads and replicas, without the servers: comparable even if the machine runs other work. */
  cpuSecondsPerMillionLines: number
  /** After the last line, and after merges have finished. */
  segments: { before: number; after: number }
  megabytesPerMillionLines: number
  /** Top 50 with facets, in milliseconds. Cold: on a replica without local copies, the first run of each query. */
  warm: { p50: number; p95: number }
  cold: { first: number; p50: number; p95: number }
  /** From sending a small batch to its acknowledgement, and from there until another replica finds it; milliseconds. */
  acknowledged: { p50: number; p95: number }
  foundElsewhere: { p50: number; p95: number }
  residentMegabytes: number
}

/** A new testbed. */
export type ReplicasTestbed = {
  /** The shared services of a replica, with connections of its own. */
  sharedOf: (replica: number) => Promise<Shared>
  /** The folder for a replica's local copies; undefined if files are local anyway. */
  localOf: (replica: number) => string | undefined
}

const localBytes = 2 * 1024 ** 3

const search = (replica: Replica, query: string) =>
  replica.engine.search({
    query: parseQuery(query),
    filters: {},
    limit: 50,
    order: 'relevance',
    withFacets: true,
  })

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const shares = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: round(percentile(sorted, 0.5)), p95: round(percentile(sorted, 0.95)) }
}

const segmentsOf = async ({ catalogue }: Replica) => (await catalogue.changes(undefined))?.added ?? []

/** Resolves when no merge has run for two seconds. */
const atRest = async (replica: Replica) => {
  let before = -1
  for (;;) {
    const { version } = (await replica.catalogue.changes(undefined)) ?? { version: 0 }
    if (version === before) return
    before = version
    await sleep(2_000)
  }
}

/** Each replica ingests its share of the corpus as one file, concurrently. */
const ingest = (replicas: readonly Replica[], { chunks }: Corpus) =>
  Promise.all(
    replicas.map(async ({ engine }, number) => {
      const source = { sourceId: `bench-${number}`, branch: null, tenantId: null }
      const file = await engine.ingestFile({ source, reference: Date.now() })
      const share = Math.ceil(chunks.length / replicas.length)
      for (const chunk of chunks.slice(number * share, (number + 1) * share)) await file.push(Uint8Array.from(chunk))
      await file.end()
    }),
  )

/** Sends small batches through one replica and immediately searches for each on another. */
const measureFreshness = async (sender: Replica, reader: Replica, rounds: number) => {
  const acknowledged: number[] = []
  const found: number[] = []
  for (let number = 0; number < rounds; number++) {
    const batch = batchOf([{ text: `freshness fresh${number}`, sequence: number, sourceId: 'fresh', time: Date.now() }])
    acknowledged.push(await timed(() => sender.engine.ingest(batch)))
    found.push(
      await timed(async () => {
        if ((await search(reader, `fresh${number}`)).total !== 1)
          throw new Error('An acknowledged entry was not found.')
      }),
    )
  }
  return { acknowledged: shares(acknowledged), foundElsewhere: shares(found) }
}

/** Ingests a corpus through a number of replicas in this process, and searches it. */
export const measureReplicas = async (
  testbed: ReplicasTestbed,
  corpus: Corpus,
  count: number,
): Promise<ReplicaFigures> => {
  await using opened = new AsyncDisposableStack()
  const open = async (number: number) => {
    const shared = await testbed.sharedOf(number)
    const directory = testbed.localOf(number)
    if (directory) await rm(directory, { recursive: true, force: true })
    const local = directory ? { local: { directory, bytes: localBytes } } : {}
    const replica = await openReplica(shared, { limits: shardLimits, ...local })
    opened.defer(() => shared.bus[Symbol.asyncDispose]())
    return opened.use(replica)
  }
  const replicas = await Promise.all(Array.from({ length: count }, (_, number) => open(number)))
  const [sender] = replicas
  if (!sender) throw new RangeError('There must be a replica.')
  const cpuBefore = process.cpuUsage()
  const seconds = (await timed(() => ingest(replicas, corpus))) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  const before = (await segmentsOf(sender)).length
  await atRest(sender)
  const segments = await segmentsOf(sender)
  const stored = segments.reduce((sum, { documents }) => sum + documents, 0)
  const warm: number[] = []
  for (const query of benchQueries) {
    await search(sender, query)
    for (let repeat = 0; repeat < 10; repeat++) warm.push(await timed(() => search(sender, query)))
  }
  const newcomer = await open(count)
  const cold: number[] = []
  for (const query of benchQueries) cold.push(await timed(() => search(newcomer, query)))
  const freshness = await measureFreshness(sender, newcomer, 40)
  const problems = [...replicas, newcomer].flatMap((replica) => replica.problems)
  if (stored === 0 || problems.length > 0) throw new Error(`Replicas reported problems: ${problems.join('; ')}`)
  return {
    replicas: count,
    linesPerSecond: Math.round(corpus.lines / seconds),
    cpuSecondsPerMillionLines: round((cpu.user + cpu.system) / corpus.lines),
    segments: { before, after: segments.length },
    megabytesPerMillionLines: round(segments.reduce((sum, { bytes }) => sum + bytes, 0) / corpus.lines),
    warm: shares(warm),
    cold: { first: round(cold[0] ?? 0), ...shares(cold.slice(1)) },
    ...freshness,
    residentMegabytes: Math.round(process.memoryUsage.rss() / 1e6),
  }
}
