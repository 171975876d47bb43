import type { Caller } from '@trellis/kit/rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../../test/support/temporary-directory.ts'
import { wavOf } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { flacSilence } from '../../test/flac-silence.ts'
import { type OpenService, openService, upload } from '../../test/open-service.ts'

const RATE = 8_000
const account = (userId: string) => ({ caller: { userId, kind: 'account', tier: 'paid' } satisfies Caller })

describe('a user in cloud mode', () => {
  const stack = new AsyncDisposableStack()
  let service: OpenService
  let wav: Uint8Array

  beforeAll(async () => {
    const { path } = stack.use(await temporaryDirectory())
    service = stack.use(
      await openService(path, { MUSIC_USER_MB: '1', MUSIC_USER_CHAINS: '2', MUSIC_USER_GENERATIONS: '4' }),
    )
    const { block } = playBand({ bpm: 120, bars: 2, sampleRate: RATE, channels: 1, seed: 3 })
    wav = await wavOf(block, RATE)
  })
  afterAll(() => stack.disposeAsync())

  const keys = async () => (await Array.fromAsync(service.files.list('music/'))).map(({ key }) => key)

  test('stores no more audio than allowed, however small the file, and what is refused leaves no file', async () => {
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

  test('generates no more than there is space for', async () => {
    const who = account('bob')
    const { chainId, rootNodeId: nodeId } = await upload(service, wav, who)
    const wanted = { chainId, nodeId, durationSeconds: 60, takes: 1, generator: 'GENERATOR_MOCK' } as const
    await expect(service.client.createBranches(wanted, who)).rejects.toMatchObject({
      status: 413,
      message: expect.stringContaining('delete chains or nodes'),
    })
  })

  test('has a number of chains, also when uploads arrive at once, and another when one is deleted', async () => {
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

  test('has a number of generations under way, and others have theirs', async () => {
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
})
