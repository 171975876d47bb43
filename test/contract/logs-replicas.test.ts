import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type NatsServer, type S3Server, startNatsServer, startS3Server } from '@trellis/distributed/servers'
import { connectNatsBus } from '@trellis/kit/bus'
import type { FilesLocation } from '@trellis/kit/files'
import { migrateStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numbered } from '../../services/logs/src/replicated/numbered-lines-for-tests.ts'
import { openReplica } from '../../services/logs/src/replicated/replicas-for-tests.ts'
import {
  describeReplicas,
  drawnReplicas,
  numbersIn,
  type Testbed,
} from '../../services/logs/src/replicated/replicas-suite.ts'
import { describeSharedCatalogue } from '../../services/logs/src/replicated/shared-catalogue-suite.ts'
import { logsMigrations } from '../../services/logs/src/schemas.ts'
import { batchOf } from '../../services/logs/src/segments/store-for-tests.ts'
import { sample } from '../support/exploration.ts'
import { postgresMissing, startTestPostgres, type TestPostgres } from '../support/postgres.ts'
import { natsCommand, natsMissing, s3Command, s3Missing } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const missing = natsMissing ?? s3Missing ?? postgresMissing

describe.skipIf(missing !== undefined)(`with real servers${missing ? ` (${missing})` : ''}`, () => {
  const servers = new AsyncDisposableStack()
  let nats: NatsServer
  let s3: S3Server
  let postgres: TestPostgres
  let testbeds = 0
  beforeAll(async () => {
    const directory = servers.use(await temporaryDirectory())
    nats = servers.use(await startNatsServer({ command: natsCommand }))
    s3 = servers.use(await startS3Server({ executable: s3Command, directory: join(directory.path, 's3') }))
    postgres = servers.use(await startTestPostgres())
  })
  afterAll(() => servers.disposeAsync())

  /** A database, a files location and a bus prefix for one test. */
  const createTestbed = async (filesStore: 's3' | 'nats' = 's3'): Promise<Testbed> => {
    await using opened = new AsyncDisposableStack()
    const directory = opened.use(await temporaryDirectory())
    const number = ++testbeds
    const prefix = `logs${number}`
    const connect = () => connectNatsBus({ servers: [nats.address], name: 'test', prefix, log: silentLog })
    const store = { databaseUrl: await postgres.createDatabase() }
    await migrateStore(store, { name: 'logs', migrations: logsMigrations })
    const { endpoint, region, bucket, accessKeyId, secretAccessKey } = s3
    const files: FilesLocation =
      filesStore === 's3'
        ? { kind: 's3', endpoint, region, bucket, prefix, accessKeyId, secretAccessKey }
        : { kind: 'nats', servers: [nats.address], bucket: `files-${number}` }
    const shared = { bus: opened.use(await connect()), store, files }
    let replicas = 0
    const stack = opened.move()
    return {
      shared,
      nats: { address: nats.address, prefix },
      open: async (options) => {
        // A separate connection and disk cache, like those of a replica on another machine.
        const bus = await connect()
        const local = { directory: join(directory.path, `local-${++replicas}`), bytes: 50_000_000 }
        const replica = await openReplica({ ...shared, bus }, { local, ...options })
        return {
          ...replica,
          [Symbol.asyncDispose]: async () => {
            await replica[Symbol.asyncDispose]()
            await bus[Symbol.asyncDispose]()
          },
        }
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  }
  const filesStores = { 'NATS, S3 and Postgres': 's3', 'NATS and Postgres alone': 'nats' } as const
  for (const name of drawnReplicas(undefined))
    if (name !== 'in one process') describeReplicas(name, () => createTestbed(filesStores[name]))
  describeSharedCatalogue('Postgres', async () => {
    const location = { databaseUrl: await postgres.createDatabase() }
    await migrateStore(location, { name: 'logs', migrations: logsMigrations })
    return { location, [Symbol.asyncDispose]: async () => undefined }
  })

  const serverOf = { nats: () => nats, s3: () => s3, postgres: () => postgres.server }
  test.each(sample(['nats', 's3', 'postgres'] as const, 1, 'killed-server'))(
    'no entry is lost or stored twice when %s is killed and restarted',
    async (name) => {
      await using testbed = await createTestbed()
      const replicas = [
        await testbed.open({ waitMilliseconds: 5_000 }),
        await testbed.open({ waitMilliseconds: 5_000 }),
      ]
      await using opened = new AsyncDisposableStack()
      for (const replica of replicas) opened.use(replica)
      const [batches, linesPerBatch] = [60, 50]
      let acknowledged = 0
      let refused = 0
      /** Retries refused batches, like a sender. */
      const send = async (batch: number) => {
        for (;;) {
          try {
            const replica = replicas[batch % replicas.length]
            await replica?.engine.ingest(batchOf(numbered(linesPerBatch, batch * linesPerBatch)))
            acknowledged++
            return
          } catch (error) {
            expect(error).toMatchObject({ kind: 'unavailable' })
            refused++
            await sleep(100)
          }
        }
      }
      const sending = (async () => {
        let next = 0
        const one = async () => {
          while (next < batches) await send(next++)
        }
        await Promise.all(Array.from({ length: 4 }, one))
      })()
      while (acknowledged < batches / 3) await sleep(10)
      const server = serverOf[name]()
      await server.stop('SIGKILL')
      const before = refused
      while (refused === before) await sleep(10)
      await server.start()
      await sending
      for (const replica of replicas)
        expect(await numbersIn(replica)).toEqual(Array.from({ length: batches * linesPerBatch }, (_, number) => number))
    },
  )
})
