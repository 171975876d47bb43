import type { Caller } from '@trellis/kit/rpc'
import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import type { Chain, ChainEvent, Stems } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeAll, wavOf } from '../../test/audio-files.ts'
import { local, nodeOf, type OpenService, openService, settled, upload } from '../../test/open-service.ts'
import { playParts } from '../../test/stem-pieces.ts'
import { blockLength } from '../audio/pcm.ts'
import { stemNames } from '../stems/stem-names.ts'

const asLocal = { caller: local }
const RATE = 22_050

const account = (userId: string, tier: Caller['tier']) => ({
  caller: { userId, kind: 'account', tier } satisfies Caller,
})

const piece = (seconds = 4, channels: 1 | 2 = 2) =>
  playParts({
    bpm: 120,
    tonic: 60,
    mode: 'major',
    seed: 5,
    beat: 'rock',
    harmony: 'pad',
    bass: 'saw',
    voice: 'high',
    sampleRate: RATE,
    seconds,
    channels,
  }).mixture

const content = async (frames: AsyncIterable<ByteFrame>) => {
  const chunks: Uint8Array[] = []
  let head: ByteFrame['frame'] = null
  for await (const { frame } of frames) {
    if (frame?.$case === 'chunk') chunks.push(frame.value)
    else head = frame
  }
  return { head: head?.$case === 'head' ? head.value : undefined, bytes: Buffer.concat(chunks) }
}

type Place = { chainId: string; nodeId: string }
type Client = Pick<OpenService, 'client'>

/** Follows the events of a chain until the stems of a node reach a status. */
const untilStems = async ({ client }: Client, { chainId, nodeId }: Place, ...statuses: string[]): Promise<Stems> => {
  for await (const _ of client.streamChainEvents({ chainId }, asLocal)) {
    const stems = await client.getStems({ chainId, nodeId }, asLocal)
    if (statuses.includes(stems.status)) return stems
  }
  throw new Error('The events ended before the separation did.')
}

const integers = (wav: Buffer): number[] => {
  const samples: number[] = []
  for (let at = 44; at + 3 <= wav.length; at += 3) samples.push(wav.readIntLE(at, 3))
  return samples
}

describe('stems', () => {
  const stack = new AsyncDisposableStack()
  let service: OpenService
  let wav: Uint8Array
  let chain: Chain
  let place: Place
  let stems: Stems

  beforeAll(async () => {
    const { path } = stack.use(await temporaryDirectory())
    service = stack.use(await openService(path, { MUSIC_USER_SEPARATIONS: '2' }))
    wav = await wavOf(piece(), RATE)
    chain = await upload(service, wav)
    place = { chainId: chain.chainId, nodeId: chain.rootNodeId }
  })
  afterAll(() => stack.disposeAsync())

  const filesWith = async (text: string) =>
    (await Array.fromAsync(service.files.list('music/'))).map(({ key }) => key).filter((key) => key.includes(text))
  const stemWav = async (name: string, range?: string) =>
    content(service.client.getStemAudio({ ...place, name, ...(range && { range }) }, asLocal))

  test('a node without stems has status none, and null in the chain', async () => {
    expect(await service.client.getStems(place, asLocal)).toEqual({
      status: 'none',
      method: undefined,
      progress: 0,
      error: undefined,
      stems: [],
    })
    expect(nodeOf(chain, place.nodeId).stems).toBeNull()
    await expect(stemWav('vocals')).rejects.toMatchObject({ status: 409, message: expect.stringContaining('POST') })
  })

  test('a request starts the separation, which reports its progress in events and ends ready', async () => {
    const leave = new AbortController()
    const seen: ChainEvent[] = []
    const options = { ...asLocal, signal: leave.signal }
    const following = (async () => {
      for await (const event of service.client.streamChainEvents({ chainId: place.chainId }, options)) {
        seen.push(event)
        if (event.event?.$case === 'stemsStatus' && event.event.value.status === 'ready') return
      }
    })()
    const first = await service.client.createStems(place, asLocal)
    expect(first).toMatchObject({ status: 'generating', progress: 0, stems: [] })
    const again = await service.client.createStems(place, asLocal)
    expect(again.status).toBe('generating')
    await following
    leave.abort()
    const events = seen.flatMap(({ event }) => (event?.$case === 'stemsStatus' ? [event.value] : []))
    expect(seen.filter(({ event }) => event?.$case === 'nodeStatus')).toEqual([])
    expect(events[0]).toMatchObject({ nodeId: place.nodeId, status: 'generating', progress: 0 })
    expect(events.some(({ progress }) => progress > 0 && progress < 1)).toBe(true)
    expect(events.at(-1)).toMatchObject({ status: 'ready', progress: 1, method: 'blind', error: undefined })
    // One run: neither request started a second one.
    expect(events.filter(({ status }) => status === 'ready')).toHaveLength(1)
    stems = await service.client.getStems(place, asLocal)
  })

  test('ready stems have a method, and a url and a share of the energy each; the shares sum to 1', async () => {
    expect(stems).toMatchObject({ status: 'ready', method: 'blind', progress: 1, error: undefined })
    const base = `/music/api/chains/${place.chainId}/nodes/${place.nodeId}/stems`
    expect(stems.stems.map(({ name, url }) => ({ name, url }))).toEqual(
      stemNames.map((name) => ({ name, url: `${base}/${name}` })),
    )
    const shares = stems.stems.map(({ energyShare }) => energyShare)
    expect(shares.every((share) => share > 0 && share < 1)).toBe(true)
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9)
    const { nodes } = await service.client.getChain({ chainId: place.chainId }, asLocal)
    expect(nodes[0]?.stems).toEqual(stems)
    expect((await service.client.listChains({}, asLocal)).chains[0]?.nodes[0]?.stems).toEqual(stems)
  })

  test('the four files are 24-bit WAV of the length of the node, and sum to it in every sample', async () => {
    const files = await Promise.all(stemNames.map((name) => stemWav(name)))
    for (const { head, bytes } of files) {
      expect(head).toMatchObject({ mediaType: 'audio/wav', size: wav.length })
      expect(bytes.subarray(0, 44).equals(Buffer.from(wav.subarray(0, 44)))).toBe(true)
    }
    const parts = files.map(({ bytes }) => integers(bytes))
    const sums = parts[0]?.map((_, index) => parts.reduce((sum, part) => sum + (part[index] ?? 0), 0))
    expect(sums).toEqual(integers(Buffer.from(wav)))
  })

  test('ranges and the MP3 of a stem are served like the audio of a node', async () => {
    const whole = await stemWav('drums')
    const part = await stemWav('drums', 'bytes=40-99')
    expect(part.head).toMatchObject({ start: 40, end: 100 })
    expect(part.bytes.equals(whole.bytes.subarray(40, 100))).toBe(true)
    await expect(stemWav('drums', `bytes=${wav.length}-`)).rejects.toMatchObject({ status: 416 })
    const request = { ...place, format: 'AUDIO_FORMAT_MP3' as const }
    const encoded = await Promise.all(
      stemNames.map((name) => content(service.client.getStemAudio({ ...request, name }, asLocal))),
    )
    for (const { head, bytes } of encoded) {
      expect(head?.mediaType).toBe('audio/mpeg')
      expect(blockLength((await decodeAll(bytes)).block)).toBe(4 * RATE)
    }
    expect(new Set(encoded.map(({ bytes }) => bytes.toString('base64'))).size).toBe(4)
    await expect(stemWav('guitar')).rejects.toMatchObject({ status: 404 })
  })

  test('a request for ready stems returns them and changes nothing', async () => {
    const before = await filesWith(place.nodeId)
    expect(await service.client.createStems(place, asLocal)).toEqual(stems)
    expect(await filesWith(place.nodeId)).toEqual(before)
  })

  test('the same audio yields the same bytes', async () => {
    const other = await upload(service, wav)
    const there = { chainId: other.chainId, nodeId: other.rootNodeId }
    await service.client.createStems(there, asLocal)
    const made = await untilStems(service, there, 'ready')
    expect(made.stems.map(({ energyShare }) => energyShare)).toEqual(stems.stems.map(({ energyShare }) => energyShare))
    for (const name of stemNames) {
      const { bytes } = await content(service.client.getStemAudio({ ...there, name }, asLocal))
      expect(bytes.equals((await stemWav(name)).bytes)).toBe(true)
    }
    await service.client.deleteChain({ chainId: there.chainId }, asLocal)
    expect(await filesWith(there.nodeId)).toEqual([])
  })

  test('a deletion removes the files of the stems and their downloads, and can be repeated', async () => {
    const key = `${place.nodeId}/`
    expect((await filesWith(key)).filter((name) => /stems\/|\/(vocals|drums)-/.test(name))).not.toEqual([])
    await service.client.deleteStems(place, asLocal)
    expect((await filesWith(key)).filter((name) => /stems\/|\/(vocals|drums)-/.test(name))).toEqual([])
    expect(await service.client.getStems(place, asLocal)).toMatchObject({ status: 'none', stems: [] })
    await service.client.deleteStems(place, asLocal)
    expect((await content(service.client.getNodeAudio(place, asLocal))).bytes.equals(wav)).toBe(true)
  })

  test('below the paid tier stems are 402, and in the paid tier they are made', async () => {
    const free = account('ann', 'free')
    const own = await upload(service, wav, free)
    const there = { chainId: own.chainId, nodeId: own.rootNodeId }
    const refusal = { status: 402, message: expect.stringContaining('paid tier') }
    await expect(service.client.createStems(there, free)).rejects.toMatchObject(refusal)
    await expect(service.client.getStems(there, free)).rejects.toMatchObject(refusal)
    await expect(content(service.client.getStemAudio({ ...there, name: 'vocals' }, free))).rejects.toMatchObject(
      refusal,
    )
    const paid = account('ann', 'paid')
    expect(await service.client.createStems(there, paid)).toMatchObject({ status: 'generating' })
    await expect(service.client.createStems(there, account('bob', 'paid'))).rejects.toMatchObject({ status: 404 })
    await service.client.deleteChain({ chainId: there.chainId }, paid)
  })

  test('a node that is not ready has no stems: 409', async () => {
    const branch = { ...place, durationSeconds: 20 }
    const { nodes } = await service.client.createBranches(branch, asLocal)
    const there = { chainId: place.chainId, nodeId: nodes[0]?.nodeId ?? '' }
    await expect(service.client.createStems(there, asLocal)).rejects.toMatchObject({ status: 409 })
    await service.client.deleteNode(there, asLocal)
    await expect(service.client.createStems(there, asLocal)).rejects.toMatchObject({ status: 404 })
  })

  test('a continuation can be separated, too', async () => {
    const { nodes } = await service.client.createBranches({ ...place, durationSeconds: 2 }, asLocal)
    await settled(service, place.chainId)
    const there = { chainId: place.chainId, nodeId: nodes[0]?.nodeId ?? '' }
    await service.client.createStems(there, asLocal)
    expect(await untilStems(service, there, 'ready', 'error')).toMatchObject({ status: 'ready' })
    await service.client.deleteNode(there, asLocal)
    expect(await filesWith(there.nodeId)).toEqual([])
  })

  test('a deletion during the separation stops it and leaves no files', async () => {
    const long = await upload(service, await wavOf(piece(40), RATE))
    const there = { chainId: long.chainId, nodeId: long.rootNodeId }
    for (const remove of [
      () => service.client.deleteStems(there, asLocal),
      () => service.client.deleteChain({ chainId: there.chainId }, asLocal),
    ]) {
      const running = untilStems(service, there, 'generating')
      await service.client.createStems(there, asLocal)
      await running
      await remove()
      // A later separation runs only after this one has ended, since there is one worker.
      const next = await upload(service, await wavOf(piece(1), RATE))
      const after = { chainId: next.chainId, nodeId: next.rootNodeId }
      await service.client.createStems(after, asLocal)
      await untilStems(service, after, 'ready')
      await expect.poll(() => filesWith(`${there.nodeId}/stems`)).toEqual([])
    }
    await expect.poll(() => filesWith(there.nodeId)).toEqual([])
  })

  test('one user has a limited number of separations under way', async () => {
    const who = account('eve', 'paid')
    const places = await Promise.all(
      [1, 2, 3].map(async () => {
        const made = await upload(service, wav, who)
        return { chainId: made.chainId, nodeId: made.rootNodeId }
      }),
    )
    const outcomes = await Promise.allSettled(places.map((there) => service.client.createStems(there, who)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toMatchObject({ status: 429 })
    for (const { chainId } of places) await service.client.deleteChain({ chainId }, who)
  })
})

test('stems count towards the storage of their user', async () => {
  await using directory = await temporaryDirectory()
  const wav = await wavOf(piece(2, 1), RATE)
  await using service = await openService(directory.path, { MUSIC_USER_MB: '1' })
  const who = account('ada', 'premium')
  const chains = [await upload(service, wav, who), await upload(service, wav, who)]
  const [one, two] = chains.map((chain) => ({ chainId: chain.chainId, nodeId: chain.rootNodeId }))
  if (!one || !two) throw new Error('There are no chains.')
  expect(await service.client.createStems(one, who)).toMatchObject({ status: 'generating' })
  await expect(service.client.createStems(two, who)).rejects.toMatchObject({ status: 413 })
  await service.client.deleteStems(one, who)
  expect(await service.client.createStems(two, who)).toMatchObject({ status: 'generating' })
})

test('a separation that fails has its reason, and is made again on request', async () => {
  await using directory = await temporaryDirectory()
  await using service = await openService(directory.path)
  const { chainId, rootNodeId: nodeId } = await upload(service, await wavOf(piece(2), RATE))
  const place = { chainId, nodeId }
  const key = `music/nodes/${nodeId}/samples.s24le`
  const samples = await service.files.readRange(key, { start: 0, end: Number.MAX_SAFE_INTEGER })
  await service.files.remove(key)
  await service.client.createStems(place, asLocal)
  expect(await untilStems(service, place, 'error')).toMatchObject({
    status: 'error',
    error: expect.stringContaining('no longer exists'),
    stems: [],
  })
  await expect(content(service.client.getStemAudio({ ...place, name: 'bass' }, asLocal))).rejects.toMatchObject({
    status: 409,
  })
  await service.files.write(key, samples)
  expect(await service.client.createStems(place, asLocal)).toMatchObject({ status: 'generating', error: undefined })
  expect(await untilStems(service, place, 'ready', 'error')).toMatchObject({ status: 'ready' })
})

test('a separation that was under way when the server stopped is made at the next start', async () => {
  await using directory = await temporaryDirectory()
  let place = { chainId: '', nodeId: '' }
  {
    await using service = await openService(directory.path)
    const chain = await upload(service, await wavOf(piece(20), RATE))
    place = { chainId: chain.chainId, nodeId: chain.rootNodeId }
    await service.client.createStems(place, asLocal)
  }
  await using service = await openService(directory.path)
  expect(await untilStems(service, place, 'ready', 'error')).toMatchObject({ status: 'ready' })
  const keys = (await Array.fromAsync(service.files.list(`music/nodes/${place.nodeId}/stems/`))).map(({ key }) => key)
  expect(keys).toHaveLength(4)
})
