import type { Bus } from '@trellis/kit/bus'
import { isServiceError } from '@trellis/kit/errors'
import { addAbortListener } from '@trellis/kit/lifecycle'
import { openStore } from '@trellis/kit/store'
import type { Chain, ChainEvent, NodeStatusChanged } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { tune } from '@trellis/test/support/tune'
import { expect, test } from 'vitest'
import { local, nodeOf, type OpenService, openReplica, settled, upload } from '../../test/open-service.ts'
import { portsOfEachTest } from '../../test/ports-of-test.ts'
import { migrations } from '../schemas.ts'
import type { MusicTables } from '../store/tables.ts'

const asLocal = { caller: local }
type Client = OpenService['client']

const own = portsOfEachTest()

/** The bus of a replica that drives no jobs. */
const withoutJobs = (bus: Bus): Bus => ({
  ...bus,
  work: async (_queue, _handle, { signal }) => {
    await new Promise((resolve) => addAbortListener(signal, () => resolve(undefined)))
  },
})

/** A bus whose next event of a node is published only after `release`; `reached` resolves when there is one. */
const holdingBus = (bus: Bus) => {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let held: string | undefined
  const publish: Bus['publish'] = async (topic, event) => {
    if (held !== undefined && JSON.stringify(event).includes(held)) {
      held = undefined
      reached.resolve()
      await released.promise
    }
    return bus.publish(topic, event)
  }
  const hold = (nodeId: string) => {
    held = nodeId
  }
  return { bus: { ...bus, publish }, hold, reached: reached.promise, release: () => released.resolve() }
}

/** A chain with takes of a second. */
const chainWith = async (client: Client, takes: number): Promise<{ chainId: string; takes: string[] }> => {
  const { chainId, rootNodeId } = await upload({ client }, tune({ seconds: 2 }))
  const request = { chainId, nodeId: rootNodeId, takes, durationSeconds: 1, generator: 'GENERATOR_MOCK' as const }
  const { nodes } = await client.createBranches(request, asLocal)
  return { chainId, takes: nodes.map(({ nodeId }) => nodeId) }
}

/** The last event of each node until a node, whose removal marks the end, is deleted. */
const lastEvents = async (client: Client, chainId: string, marker: string) => {
  await client.deleteNode({ chainId, nodeId: marker }, asLocal)
  const last = new Map<string, NodeStatusChanged>()
  const isEnd = ({ event }: ChainEvent) => event?.$case === 'nodeRemoved'
  for await (const frame of client.streamChainEvents({ chainId, lastEventId: '0' }, asLocal)) {
    if (isEnd(frame)) return last
    if (frame.event?.$case === 'nodeStatus') last.set(frame.event.value.nodeId, frame.event.value)
  }
  throw new Error('The stream ended before the marker.')
}

const expectCurrent = (chain: Chain, last: ReadonlyMap<string, NodeStatusChanged>, nodeIds: readonly string[]) => {
  for (const nodeId of nodeIds) {
    const { status, decision } = nodeOf(chain, nodeId)
    expect(last.get(nodeId)).toMatchObject({ nodeId, status, decision })
  }
}

test('the last event of a node has its last decision, even if an earlier one is published later', async () => {
  const { bus, ...held } = holdingBus(withoutJobs(own.ports.bus))
  await using slow = await openReplica({ ...own.ports, bus })
  await using other = await openReplica(own.ports)
  const { chainId, takes } = await chainWith(other.client, 3)
  const [a = '', b = '', marker = ''] = takes
  await settled(other, chainId)
  held.hold(a)
  const committing = slow.client.commitNode({ chainId, nodeId: a }, asLocal)
  await held.reached
  await other.client.commitNode({ chainId, nodeId: b }, asLocal)
  held.release()
  await committing
  const chain = await other.client.getChain({ chainId }, asLocal)
  expect(nodeOf(chain, a).decision).toBe('DECISION_UNDECIDED')
  expectCurrent(chain, await lastEvents(other.client, chainId, marker), [a, b])
})

test('a decision on a node that becomes ready meanwhile does not leave followers with a generating node', async () => {
  const { bus, ...held } = holdingBus(withoutJobs(own.ports.bus))
  await using slow = await openReplica({ ...own.ports, bus })
  await using other = await openReplica(own.ports)
  const { chainId, takes } = await chainWith(other.client, 2)
  const [nodeId = '', marker = ''] = takes
  held.hold(nodeId)
  const discarding = slow.client.discardNode({ chainId, nodeId }, asLocal)
  await held.reached
  const ready = async () => nodeOf(await other.client.getChain({ chainId }, asLocal), nodeId).status
  await expect.poll(ready, { timeout: 30_000 }).toBe('NODE_STATUS_READY')
  held.release()
  await discarding
  const ended = await settled(other, chainId)
  expectCurrent(ended, await lastEvents(other.client, chainId, marker), [nodeId])
})

test('the last event of deleted stems is their deletion, even if their progress is published later', async () => {
  const { bus, ...held } = holdingBus(own.ports.bus)
  await using _driving = await openReplica({ ...own.ports, bus })
  await using other = await openReplica({ ...own.ports, bus: withoutJobs(own.ports.bus) })
  const { chainId, rootNodeId: nodeId } = await upload(other, tune({ seconds: 2 }))
  held.hold(nodeId)
  await other.client.createStems({ chainId, nodeId }, asLocal)
  await held.reached
  await other.client.deleteStems({ chainId, nodeId }, asLocal)
  held.release()
  const statuses: string[] = []
  for await (const { event } of other.client.streamChainEvents({ chainId, lastEventId: '0' }, asLocal)) {
    if (event?.$case === 'stemsStatus') statuses.push(event.value.status)
    if (statuses.filter((status) => status === 'none').length === 2) break
  }
  expect(statuses.slice(-3)).toEqual(['none', 'generating', 'none'])
})

test('a decision on a node that is deleted at the same time either precedes it, or finds no node', async () => {
  await using replica = await openReplica(own.ports)
  const { client } = replica
  const { chainId, takes } = await chainWith(client, 4)
  await settled(replica, chainId)
  for (const [i, nodeId] of takes.entries()) {
    const decide = i % 2 === 0 ? client.commitNode : client.discardNode
    const [deleted, again, decided] = await Promise.allSettled([
      client.deleteNode({ chainId, nodeId }, asLocal),
      client.deleteNode({ chainId, nodeId }, asLocal),
      decide({ chainId, nodeId }, asLocal),
    ])
    expect([deleted, again].filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    if (decided.status === 'fulfilled') expect(nodeOf(decided.value, nodeId).nodeId).toBe(nodeId)
    else expect(isServiceError(decided.reason, 'not_found')).toBe(true)
  }
})

test('a retry of a node that is deleted at the same time finds no node', async () => {
  await using replica = await openReplica(own.ports)
  const { client } = replica
  const { chainId, takes } = await chainWith(client, 4)
  await settled(replica, chainId)
  {
    await using opened = await openStore<MusicTables>({
      dataDirectory: own.ports.dataDirectory,
      name: 'music',
      migrations,
    })
    await opened.db.updateTable('nodes').set({ status: 'error', error: 'Test.' }).where('id', 'in', takes).execute()
  }
  for (const nodeId of takes) {
    const [deleted, retried] = await Promise.allSettled([
      client.deleteNode({ chainId, nodeId }, asLocal),
      client.retryNode({ chainId, nodeId }, asLocal),
    ])
    expect(deleted.status).toBe('fulfilled')
    if (retried.status === 'rejected') expect(isServiceError(retried.reason, 'not_found')).toBe(true)
  }
  expect((await client.getChain({ chainId }, asLocal)).nodes).toHaveLength(1)
})

test('a chain that is deleted while it is read is reported as missing', async () => {
  await using replica = await openReplica(own.ports)
  const { chainId } = await upload(replica, tune({ seconds: 2 }))
  {
    // What a request reads between the two deletions of another.
    await using opened = await openStore<MusicTables>({
      dataDirectory: own.ports.dataDirectory,
      name: 'music',
      migrations,
    })
    await opened.db.deleteFrom('nodes').where('chain_id', '=', chainId).execute()
  }
  await expect(replica.client.getChain({ chainId }, asLocal)).rejects.toMatchObject({ kind: 'not_found' })
  await expect(replica.client.exportChain({ chainId }, asLocal)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    kind: 'not_found',
  })
})
