import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort, startNatsServer, startS3Server } from '@trellis/distributed/servers'
import { connectGrpc } from '@trellis/kit/rpc'
import { type Chain, MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeOf, settled, upload } from '../../services/music/test/open-service.ts'
import { postgresMissing, startTestPostgres } from '../support/postgres.ts'
import { natsCommand, natsMissing, s3Command, s3Missing } from '../support/programs.ts'
import { migrateService, startService } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { tune } from '../support/tune.ts'

const missing = natsMissing ?? s3Missing ?? postgresMissing
const reason = missing ? ` (skipped: ${missing})` : ''
const asLocal = { caller: { userId: 'local', kind: 'local', tier: 'local' } } as const

describe.skipIf(missing)(`replicas of the music service, as processes on NATS, Postgres and S3${reason}`, () => {
  const opened = new AsyncDisposableStack()
  const secret = randomBytes(24).toString('hex')
  let common: Record<string, string> = {}
  let workloadsAddress = ''
  let directory = ''

  const startReplica = async () => {
    const address = `127.0.0.1:${await freePort()}`
    const environment = { ...common, RPC_ADDRESS: address, WORKLOADS_ADDRESS: workloadsAddress }
    const replica = opened.use(await startService('services/music/src/main.ts', environment))
    const { client } = opened.use(connectGrpc(MusicServiceDefinition, address, { security: { secrets: [secret] } }))
    return { client, end: replica.end }
  }
  const startWorkloads = async () =>
    opened.use(
      await startService('services/distributed/src/workloads/main.ts', {
        ...common,
        RPC_ADDRESS: workloadsAddress,
      }),
    )

  let workloads: Awaited<ReturnType<typeof startWorkloads>>

  beforeAll(async () => {
    directory = opened.use(await temporaryDirectory()).path
    const nats = opened.use(await startNatsServer({ command: natsCommand }))
    const postgres = opened.use(await startTestPostgres())
    const s3 = opened.use(await startS3Server({ executable: s3Command, directory: join(directory, 's3') }))
    workloadsAddress = `127.0.0.1:${await freePort()}`
    common = {
      NATS_URL: nats.address,
      DATABASE_URL: await postgres.createDatabase(),
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: s3.bucket,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      RPC_SECRET: secret,
      METRICS_PORT: '0',
      TRELLIS_DATA_DIR: join(directory, 'data'),
      MUSIC_WORKERS: '1',
    }
    await migrateService('services/music/src/main.ts', common)
    workloads = await startWorkloads()
  })
  afterAll(() => opened.disposeAsync())

  type Replica = Awaited<ReturnType<typeof startReplica>>

  const branch = async ({ client }: Replica, { chainId, rootNodeId }: Chain, takes: number, seconds: number) => {
    const request = { chainId, nodeId: rootNodeId, takes, durationSeconds: seconds, seed: 1 }
    return (await client.createBranches(request, asLocal)).nodes.map(({ nodeId }) => nodeId)
  }

  /** Waits until a run has reported progress. */
  const underWay = async ({ client }: Replica, chainId: string) => {
    for await (const { event } of client.streamChainEvents({ chainId, lastEventId: '0' }, asLocal)) {
      if (event?.$case === 'nodeStatus' && event.value.progress > 0) return
    }
  }

  const expectReady = (chain: Chain, nodeIds: readonly string[]) => {
    expect(chain.nodes.map(({ nodeId }) => nodeId).toSorted()).toEqual([chain.rootNodeId, ...nodeIds].toSorted())
    for (const nodeId of nodeIds) expect(nodeOf(chain, nodeId)).toMatchObject({ status: 'NODE_STATUS_READY' })
  }

  test('another replica finishes the generations of a killed one, once', async () => {
    const one = await startReplica()
    const chain = await upload(one, await tune())
    const nodeIds = await branch(one, chain, 4, 60)
    await underWay(one, chain.chainId)
    const two = await startReplica()
    await one.end('SIGKILL')
    expectReady(await settled(two, chain.chainId), nodeIds)
    let bytes = 0
    const request = { chainId: chain.chainId, nodeId: nodeIds[0] ?? '' }
    for await (const { frame } of two.client.getNodeAudio(request, asLocal)) {
      if (frame?.$case === 'chunk') bytes += frame.value.byteLength
    }
    expect(bytes).toBeGreaterThan(60 * chain.sampleRate)
    await two.end('SIGTERM')
  })

  test('runs of a killed workloads service are run again', async () => {
    const one = await startReplica()
    const chain = await upload(one, await tune())
    const nodeIds = await branch(one, chain, 3, 60)
    await underWay(one, chain.chainId)
    await workloads.end('SIGKILL')
    workloads = await startWorkloads()
    expectReady(await settled(one, chain.chainId), nodeIds)
    await one.end('SIGTERM')
  })

  test('an upload whose replica is killed fails and creates no chain', async () => {
    const [one, two] = [await startReplica(), await startReplica()]
    const before = (await two.client.listChains({}, asLocal)).chains.length
    async function* endless() {
      yield { part: { $case: 'parameters' as const, value: { name: '' } } }
      const file = { name: 'file', filename: 'a.wav', mediaType: 'audio/wav' }
      yield { part: { $case: 'file' as const, value: file } }
      for (let i = 0; ; i++) {
        if (i === 40) await one.end('SIGKILL')
        yield { part: { $case: 'chunk' as const, value: randomBytes(262_144) } }
      }
    }
    await expect(one.client.createChain(endless(), asLocal)).rejects.toMatchObject({ kind: 'unavailable' })
    expect((await two.client.listChains({}, asLocal)).chains).toHaveLength(before)
    await two.end('SIGTERM')
  })

  test('concurrent decisions on two replicas result in one spine', async () => {
    const [one, two] = [await startReplica(), await startReplica()]
    const chain = await upload(one, await tune())
    const { chainId } = chain
    const nodeIds = await branch(one, chain, 4, 1)
    await settled(one, chainId)
    for (let round = 0; round < 5; round++) {
      const decisions = nodeIds.map((nodeId, i) => {
        const { client } = i % 2 === 0 ? one : two
        return (i + round) % 3 === 0
          ? client.discardNode({ chainId, nodeId }, asLocal)
          : client.commitNode({ chainId, nodeId }, asLocal)
      })
      await Promise.all(decisions)
      const [a, b] = await Promise.all([one, two].map(({ client }) => client.getChain({ chainId }, asLocal)))
      expect(a).toEqual(b)
      expect(a?.nodes.filter(({ parentId, decision }) => parentId && decision === 'DECISION_COMMITTED')).toHaveLength(
        a?.spine.length === 2 ? 1 : 0,
      )
    }
    await Promise.all([one.end('SIGTERM'), two.end('SIGTERM')])
  })
})
