import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  findNatsServer,
  findS3Server,
  freePort,
  startNatsServer,
  startPostgres,
  startS3Server,
} from '@trellis/distributed/servers'
import { connectNatsBus, createMemoryBus } from '@trellis/kit/bus'
import { migrateStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { sharedData } from '@trellis/test/support/shared-data'
import { logsSchema } from '../src/schemas.ts'
import { makeCorpus } from './corpus.ts'
import { measureReplicas, type ReplicasTestbed } from './measure-replicas.ts'

/** `node services/logs/bench/replicas.ts [lines] [memory|servers] [replicas...]`: figures of replicas, in one process on this machine. */
const [lines = '1000000', kind = 'servers', ...counts] = process.argv.slice(2)
const print = (line: string) => process.stdout.write(`${line}\n`)

/** One bus in memory, a folder, an SQLite file. */
const inMemory = async (directory: string): Promise<ReplicasTestbed> => {
  const bus = createMemoryBus()
  return {
    sharedOf: async () => ({
      bus,
      files: { kind: 'directory', path: join(directory, 'files') },
      store: { dataDirectory: directory },
    }),
    localOf: () => undefined,
  }
}

/** NATS, S3 and Postgres, a connection for each replica. */
const onServers = async (directory: string, opened: AsyncDisposableStack): Promise<ReplicasTestbed> => {
  const nats = opened.use(await startNatsServer({ command: findNatsServer(process.env) }))
  const s3 = opened.use(
    await startS3Server({ executable: findS3Server(process.env), directory: join(directory, 's3') }),
  )
  const postgres = opened.use(
    await startPostgres({ directory: await mkdtemp(join(tmpdir(), 'trellis-bench-pg-')), port: await freePort() }),
  )
  const store = { databaseUrl: postgres.url() }
  await migrateStore(store, logsSchema)
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = s3
  return {
    sharedOf: async (replica) => ({
      bus: await connectNatsBus({ servers: [nats.address], name: `bench-${replica}`, log: silentLog }),
      store,
      files: { kind: 's3', endpoint, region, bucket, accessKeyId, secretAccessKey },
    }),
    localOf: (replica) => join(directory, `local-${replica}`),
  }
}

const corpus = makeCorpus(Number(lines), sharedData('logs', 'loghub'))
print(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}; all replicas and servers on them`,
)
print(`Corpus: ${corpus.describe}`)
for (const count of counts.length > 0 ? counts : ['1', '2']) {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const testbed = kind === 'memory' ? await inMemory(directory) : await onServers(directory, opened)
  const figures = await measureReplicas(testbed, corpus, Number(count))
  const { warm, cold, acknowledged, foundElsewhere, segments } = figures
  print(`${count} replicas on ${kind}`)
  print(`  ingest, raw text to searchable   ${figures.linesPerSecond} lines/s`)
  print(`  processor time of this process   ${figures.cpuSecondsPerMillionLines} s per 1 M lines`)
  print(
    `  segments                         ${segments.before}, after merges ${segments.after}; ${figures.megabytesPerMillionLines} MB per 1 M lines`,
  )
  print(`  search warm, top 50 with facets  p50 ${warm.p50} ms, p95 ${warm.p95} ms`)
  print(`  search cold                      first ${cold.first} ms, then p50 ${cold.p50} ms, p95 ${cold.p95} ms`)
  print(`  a small batch                    acknowledged p50 ${acknowledged.p50} ms, p95 ${acknowledged.p95} ms`)
  print(`  then found on another replica    p50 ${foundElsewhere.p50} ms, p95 ${foundElsewhere.p95} ms`)
  print(`  resident, corpus included        ${figures.residentMegabytes} MB`)
}
