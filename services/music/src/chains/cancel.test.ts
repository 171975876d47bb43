import { openStore } from '@trellis/kit/store'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wavOf } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { local, openPorts, openReplica, type Ports, upload } from '../../test/open-service.ts'
import { migrations } from '../schemas.ts'
import type { MusicTables } from '../store/tables.ts'

const asLocal = { caller: local }
const RATE = 22_050

describe('a removal during generation leaves nothing behind', () => {
  const stack = new AsyncDisposableStack()
  let ports: Ports
  let service: Awaited<ReturnType<typeof openReplica>>
  let wav: Uint8Array
  let directory: string

  beforeAll(async () => {
    directory = stack.use(await temporaryDirectory()).path
    ports = stack.use(await openPorts(directory))
    service = stack.use(await openReplica(ports))
    const { block } = playBand({ bpm: 120, bars: 3, sampleRate: RATE, channels: 2, seed: 3 })
    wav = await wavOf(block, RATE)
  })
  afterAll(() => stack.disposeAsync())

  const branch = (chainId: string, nodeId: string) =>
    service.client.createBranches({ chainId, nodeId, durationSeconds: 20, takes: 2 }, asLocal)

  const filesOf = async (ids: readonly string[]) =>
    (await Array.fromAsync(ports.files.list('music/')))
      .map(({ key }) => key)
      .filter((key) => ids.some((id) => key.includes(id)))

  /** Ids of nodes that have a row, and of owners whose files are still to be removed. */
  const rowsOf = async (ids: readonly string[]) => {
    await using opened = await openStore<MusicTables>({ dataDirectory: directory, name: 'music', migrations })
    const nodes = await opened.db.selectFrom('nodes').select('id').where('id', 'in', ids).execute()
    const leftovers = await opened.db.selectFrom('leftovers').select('owner_id').where('owner_id', 'in', ids).execute()
    return [...nodes.map(({ id }) => id), ...leftovers.map(({ owner_id }) => owner_id)]
  }

  const expectNothingOf = async (ids: readonly string[]) => {
    const patience = { timeout: 120_000, interval: 50 }
    await expect.poll(async () => (await ports.workloads.list({})).runs, patience).toEqual([])
    await expect.poll(() => filesOf(ids), patience).toEqual([])
    await expect.poll(() => rowsOf(ids), patience).toEqual([])
  }

  /** Resolves at the `requested`-th node event of a chain, counted from 1. */
  const eventOf = async (chainId: string, requested: number) => {
    let seen = 0
    for await (const { event } of service.client.streamChainEvents({ chainId }, asLocal))
      if (event?.$case === 'nodeStatus' && ++seen === requested) return event.value.nodeId
    return ''
  }

  test.each([1, 2, 3, 5, 8])('by its nodes at event %d of its chain', async (requested) => {
    const { chainId, rootNodeId } = await upload(service, wav)
    const reached = eventOf(chainId, requested)
    const branching = branch(chainId, rootNodeId)
    // The first events precede the response to the request, and the run that could be cancelled.
    await reached
    const { nodes } = await service.client.getChain({ chainId }, asLocal)
    const ids = nodes.map(({ nodeId }) => nodeId).filter((id) => id !== rootNodeId)
    await Promise.all(ids.map((nodeId) => service.client.deleteNode({ chainId, nodeId }, asLocal)))
    await branching.catch(() => undefined)
    await expectNothingOf(ids)
  })

  test('by its chain', async () => {
    const { chainId, rootNodeId } = await upload(service, wav)
    const { nodes } = await branch(chainId, rootNodeId)
    await service.client.deleteChain({ chainId }, asLocal)
    const ids = [chainId, rootNodeId, ...nodes.map(({ nodeId }) => nodeId)]
    await expect.poll(() => filesOf(ids)).toEqual([])
    await expectNothingOf(nodes.map(({ nodeId }) => nodeId))
  })

  test.each([0, 1, 3])('by a client that disconnects after %d parts of its upload', async (parts) => {
    const leaving = new AbortController()
    const before = await filesOf(['nodes'])
    let sent = 0
    async function* form() {
      yield { part: { $case: 'parameters', value: { name: '' } } } as const
      yield { part: { $case: 'file', value: { name: 'file', filename: 'a.wav', mediaType: 'audio/wav' } } } as const
      const size = Math.ceil(wav.length / 3)
      for (let at = 0; at < wav.length; at += size) {
        if (sent++ === parts) leaving.abort()
        yield { part: { $case: 'chunk', value: wav.subarray(at, at + size) } } as const
      }
      // All of it has arrived: the worker is reading it.
      if (parts === 3) setTimeout(() => leaving.abort(), 30)
    }
    const options = { ...asLocal, signal: leaving.signal }
    await service.client.createChain(form(), options).then(
      ({ chainId }) => service.client.deleteChain({ chainId }, asLocal),
      () => undefined,
    )
    await expect.poll(() => filesOf(['nodes'])).toEqual(before)
  })
})
