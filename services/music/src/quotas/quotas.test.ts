import type { Caller } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wavOf } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { flacSilence } from '../../test/flac-silence.ts'
import { nodeOf, type OpenService, openService, upload } from '../../test/open-service.ts'
import { migrations } from '../schemas.ts'
import type { MusicTables } from '../store/tables.ts'

const RATE = 8_000
const account = (userId: string) => ({ caller: { userId, kind: 'account', tier: 'paid' } satisfies Caller })

describe('a user in cloud mode', () => {
  const stack = new AsyncDisposableStack()
  let service: OpenService
  let wav: Uint8Array
  let directory: string

  beforeAll(async () => {
    const { path } = stack.use(await temporaryDirectory())
    directory = path
    service = stack.use(
      await openService(path, { MUSIC_USER_MB: '1', MUSIC_USER_CHAINS: '2', MUSIC_USER_GENERATIONS: '4' }),
    )
    const { block } = playBand({ bpm: 120, bars: 2, sampleRate: RATE, channels: 1, seed: 3 })
    wav = await wavOf(block, RATE)
  })
  afterAll(() => stack.disposeAsync())

  const keys = async () => (await Array.fromAsync(service.files.list('music/'))).map(({ key }) => key)

  test('stores no more audio than allowed, however small the file, and a rejected upload leaves no file', async () => {
    const before = await keys()
    const silence = flacSilence(40)
    expect(silence.length).toBeLessThan(20_000)
    await expect(upload(service, silence, account('ada'))).rejects.toMatchObject({
      status: 413,
      message: expect.stringContaining('the 1 MB that you have left'),
    })
    expect(await keys()).toEqual(before)
    await upload(service, silence)
  })

  test('reports a remainder below a megabyte in kilobytes', async () => {
    const who = account('kim')
    await upload(service, wav, who)
    await expect(upload(service, flacSilence(40), who)).rejects.toMatchObject({
      status: 413,
      message: expect.stringMatching(/ the [1-9]\d* KB that you have left/),
    })
  })

  test('cannot generate beyond the storage quota', async () => {
    const who = account('bob')
    const { chainId, rootNodeId: nodeId } = await upload(service, wav, who)
    const requested = { chainId, nodeId, durationSeconds: 60, takes: 1, generator: 'GENERATOR_MOCK' } as const
    await expect(service.client.createBranches(requested, who)).rejects.toMatchObject({
      status: 413,
      message: expect.stringContaining('delete chains or nodes'),
    })
  })

  test('has a limited number of chains, even with concurrent uploads, until one is deleted', async () => {
    const who = account('eve')
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => upload(service, wav, who)))
    const made = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(made).toHaveLength(2)
    expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toMatchObject({
      status: 403,
      message: 'You have 2 chains, which is the limit: delete one first.',
    })
    await service.client.deleteChain({ chainId: made[0]?.value.chainId ?? '' }, who)
    await upload(service, wav, who)
  })

  test('has a limit of concurrent generations that is separate from other users', async () => {
    const [ada, bob] = [account('gen-ada'), account('gen-bob')]
    const branch = async (who: typeof ada, chain: { chainId: string; rootNodeId: string }, takes: number) =>
      service.client.createBranches(
        { chainId: chain.chainId, nodeId: chain.rootNodeId, durationSeconds: 4, takes, seed: 1 },
        who,
      )
    const [own, other] = [await upload(service, wav, ada), await upload(service, wav, bob)]
    await branch(ada, own, 3)
    await expect(branch(ada, own, 2)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 10 })
    expect((await branch(bob, other, 1)).nodes).toHaveLength(1)
    for (const [who, { chainId }] of [
      [ada, own],
      [bob, other],
    ] as const)
      await service.client.deleteChain({ chainId }, who)
  })

  /** Branches, waits until the takes are ready, and marks them as failed. */
  const failedBranches = async (
    who: { caller: Caller },
    { chainId, rootNodeId: nodeId }: { chainId: string; rootNodeId: string },
    requested: { takes: number; durationSeconds: number },
  ) => {
    const { nodes } = await service.client.createBranches({ chainId, nodeId, seed: 1, ...requested }, who)
    const ids = nodes.map(({ nodeId }) => nodeId)
    const generating = async () => {
      const chain = await service.client.getChain({ chainId }, who)
      return ids.filter((id) => nodeOf(chain, id).status === 'NODE_STATUS_GENERATING')
    }
    await expect.poll(generating, { interval: 50 }).toEqual([])
    await using opened = await openStore<MusicTables>({ dataDirectory: directory, name: 'music', migrations })
    await opened.db.updateTable('nodes').set({ status: 'error', error: 'Test.' }).where('id', 'in', ids).execute()
    return ids
  }

  test('cannot retry a failed node beyond the storage quota', async () => {
    const who = account('retry-bytes')
    const chain = await upload(service, wav, who)
    const { chainId } = chain
    const [nodeId = ''] = await failedBranches(who, chain, { takes: 1, durationSeconds: 20 })
    await service.client.createBranches(
      { chainId, nodeId: chain.rootNodeId, takes: 1, durationSeconds: 20, seed: 2 },
      who,
    )
    await expect(service.client.retryNode({ chainId, nodeId }, who)).rejects.toMatchObject({ status: 413 })
    const refused = nodeOf(await service.client.getChain({ chainId }, who), nodeId)
    expect(refused.status).toBe('NODE_STATUS_ERROR')
    await service.client.deleteChain({ chainId }, who)
  })

  test('has the same limit of concurrent generations when nodes are retried concurrently', async () => {
    const who = account('retry-count')
    const chain = await upload(service, wav, who)
    const { chainId } = chain
    const ids = [
      ...(await failedBranches(who, chain, { takes: 3, durationSeconds: 5 })),
      ...(await failedBranches(who, chain, { takes: 3, durationSeconds: 5 })),
    ]
    const outcomes = await Promise.allSettled(ids.map((nodeId) => service.client.retryNode({ chainId, nodeId }, who)))
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused).toMatchObject([{ status: 429 }, { status: 429 }])
    await service.client.deleteChain({ chainId }, who)
  })
})
