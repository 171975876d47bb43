import { randomUUID } from 'node:crypto'
import { openStore } from '@trellis/kit/store'
import type { Chain, ChainEvent } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { expect, test } from 'vitest'
import { wavOf } from '../test/audio-files.ts'
import { playBand } from '../test/band.ts'
import { local, nodeOf, openReplica, settled, upload } from '../test/open-service.ts'
import { portsOfEachTest } from '../test/ports-of-test.ts'
import { nodeFile } from './audio/files-layout.ts'
import { noteLeftovers } from './chains/leftovers.ts'
import { migrations } from './schemas.ts'
import type { MusicTables } from './store/tables.ts'

const asLocal = { caller: local }
const RATE = 22_050
const day = 24 * 3_600_000

const own = portsOfEachTest()

const tune = async () => {
  const { block } = playBand({ bpm: 120, bars: 3, sampleRate: RATE, channels: 1 })
  return wavOf(block, RATE)
}

/** Ids of the nodes whose events, other than progress, follow the beginning of a chain, up to `count` events. */
const endedNodesOf = async (replica: Awaited<ReturnType<typeof openReplica>>, chainId: string, count: number) => {
  const leave = new AbortController()
  const seen: ChainEvent[] = []
  const options = { ...asLocal, signal: leave.signal }
  for await (const event of replica.client.streamChainEvents({ chainId, lastEventId: '0' }, options)) {
    if (event.event?.$case !== 'nodeStatus' || event.event.value.status === 'NODE_STATUS_GENERATING') continue
    seen.push(event)
    if (seen.length === count) break
  }
  leave.abort()
  return seen.map(({ event }) => event?.$case === 'nodeStatus' && event.value.nodeId)
}

test('a new replica does not interfere with the generations of another: each node ends once', async () => {
  await using one = await openReplica(own.ports)
  const { chainId, rootNodeId } = await upload(one, await tune())
  const { nodes } = await one.client.createBranches(
    { chainId, nodeId: rootNodeId, takes: 3, durationSeconds: 4 },
    asLocal,
  )
  await using two = await openReplica(own.ports)
  const chain = await settled(two, chainId)
  expect(nodes.map(({ nodeId }) => nodeOf(chain, nodeId).status)).toEqual(Array(3).fill('NODE_STATUS_READY'))
  // A marker at the end of the stream: a second end of a node would precede it.
  await one.client.commitNode({ chainId, nodeId: nodes[0]?.nodeId ?? '' }, asLocal)
  const reported = await endedNodesOf(two, chainId, 4)
  expect(reported.slice(0, 3).toSorted()).toEqual(nodes.map(({ nodeId }) => nodeId).toSorted())
  expect(reported[3]).toBe(nodes[0]?.nodeId)
})

test('generations of a replica that shuts down are finished by another', async () => {
  await using two = await openReplica(own.ports)
  let made: { chainId: string; nodeIds: string[] }
  {
    await using one = await openReplica(own.ports)
    const { chainId, rootNodeId } = await upload(one, await tune())
    const request = { chainId, nodeId: rootNodeId, takes: 4, durationSeconds: 20 }
    const { nodes } = await one.client.createBranches(request, asLocal)
    made = { chainId, nodeIds: nodes.map(({ nodeId }) => nodeId) }
  }
  const chain = await settled(two, made.chainId)
  for (const nodeId of made.nodeIds) expect(nodeOf(chain, nodeId).status).toBe('NODE_STATUS_READY')
  expect(chain.nodes).toHaveLength(5)
})

test('concurrent decisions on two replicas leave one spine', async () => {
  await using one = await openReplica(own.ports)
  await using two = await openReplica(own.ports)
  const { chainId, rootNodeId } = await upload(one, await tune())
  const request = { chainId, nodeId: rootNodeId, takes: 4, durationSeconds: 1, generator: 'GENERATOR_MOCK' as const }
  const { nodes } = await one.client.createBranches(request, asLocal)
  await settled(one, chainId)
  for (let round = 0; round < 5; round++) {
    const decisions = nodes.map(({ nodeId }, i) => {
      const { client } = i % 2 === 0 ? one : two
      return (i + round) % 3 === 0
        ? client.discardNode({ chainId, nodeId }, asLocal)
        : client.commitNode({ chainId, nodeId }, asLocal)
    })
    await Promise.all(decisions)
    const [a, b] = await Promise.all([one, two].map(({ client }) => client.getChain({ chainId }, asLocal)))
    expect(a).toEqual(b)
    const committed = (chain: Chain | undefined) =>
      chain?.nodes.filter(({ decision, parentId }) => parentId && decision === 'DECISION_COMMITTED')
    expect(committed(a)?.length).toBeLessThanOrEqual(1)
  }
})

test('concurrent branches on two replicas stay within the maximum nodes of a chain', async () => {
  const environment = { MUSIC_MAX_NODES: '6' }
  await using one = await openReplica(own.ports, { environment })
  await using two = await openReplica(own.ports, { environment })
  const { chainId, rootNodeId } = await upload(one, await tune())
  const request = { chainId, nodeId: rootNodeId, takes: 2, durationSeconds: 1, generator: 'GENERATOR_MOCK' as const }
  const answers = await Promise.allSettled(
    [one, two, one, two].map(({ client }) => client.createBranches(request, asLocal)),
  )
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect((await settled(two, chainId)).nodes).toHaveLength(5)
})

test('only files that a killed replica left without a row are removed a day later', async () => {
  const keys = async () => (await Array.fromAsync(own.ports.files.list('music/'))).map(({ key }) => key)
  let chain: Chain
  {
    await using one = await openReplica(own.ports)
    chain = await upload(one, await tune())
  }
  const whole = await keys()
  const lost = randomUUID()
  // As if one replica was killed between the file and the row, and one between the row and the removal of the upload.
  await own.ports.files.write(nodeFile(lost, 'upload'), Buffer.from('half'))
  await own.ports.files.write(nodeFile(lost, 'samples'), Buffer.from('half'))
  await own.ports.files.write(nodeFile(chain.rootNodeId, 'upload'), Buffer.from('whole'))
  {
    await using store = await openStore<MusicTables>({
      name: 'music',
      dataDirectory: own.ports.dataDirectory,
      migrations,
    })
    await noteLeftovers(store.db, [lost, chain.rootNodeId], new Date())
  }
  const left = await keys()
  await (await openReplica(own.ports))[Symbol.asyncDispose]()
  expect(await keys()).toEqual(left)
  await (await openReplica(own.ports, { now: () => new Date(Date.now() + day + 60_000) }))[Symbol.asyncDispose]()
  expect(await keys()).toEqual(whole)
})

test('exports are removed once they are older than MUSIC_EXPORT_HOURS, and are written again when requested', async () => {
  const hour = 3_600_000
  const exports = async () =>
    (await Array.fromAsync(own.ports.files.list('music/delivery/'))).map(({ key }) => key).toSorted()
  const download = async ({ client }: Awaited<ReturnType<typeof openReplica>>, chainId: string) => {
    let bytes = 0
    for await (const { frame } of client.exportChain({ chainId }, asLocal))
      if (frame?.$case === 'chunk') bytes += frame.value.length
    return bytes
  }
  let chainId = ''
  let size = 0
  {
    await using one = await openReplica(own.ports)
    chainId = (await upload(one, await tune())).chainId
    size = await download(one, chainId)
  }
  const environment = { MUSIC_EXPORT_HOURS: '2' }
  const openAfter = (hours: number) =>
    openReplica(own.ports, { environment, now: () => new Date(Date.now() + hours * hour) })
  await (await openAfter(1))[Symbol.asyncDispose]()
  expect(await exports()).toEqual([expect.stringContaining(chainId)])
  await (await openAfter(2.1))[Symbol.asyncDispose]()
  expect(await exports()).toEqual([])
  await using again = await openReplica(own.ports)
  expect(await download(again, chainId)).toBe(size)
})
