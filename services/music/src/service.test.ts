import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import type { Chain, ChainEvent } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeAll, fixture, wavOf } from '../test/audio-files.ts'
import { playBand } from '../test/band.ts'
import { flacSilence } from '../test/flac-silence.ts'
import { aacEntry, buildMp4, packetsOf } from '../test/m4a-files.ts'
import { local, nodeOf, type OpenService, openService, settled, upload } from '../test/open-service.ts'
import { speak } from '../test/spoken-words.ts'
import { nodeFile } from './audio/files-layout.ts'
import { blockLength } from './audio/pcm.ts'

const asLocal = { caller: local }
const RATE = 22_050

const piece = (seconds = 6) => {
  const { block } = playBand({ bpm: 120, bars: 4, sampleRate: RATE, channels: 2 })
  return block.map((channel) => channel.slice(0, Math.round(seconds * RATE)))
}

/** The AAC fixture with a config that declares HE-AAC. */
const heAac = async () =>
  buildMp4({
    ...(await packetsOf(fixture('band.m4a'))),
    entry: aacEntry(Uint8Array.of(0x2b, 0x92, 0x08, 0)),
    scale: 22_050,
    packetDuration: 1_024,
  })

const content = async (frames: AsyncIterable<ByteFrame>) => {
  const chunks: Uint8Array[] = []
  let head: ByteFrame['frame'] = null
  for await (const { frame } of frames) {
    if (frame?.$case === 'chunk') chunks.push(frame.value)
    else head = frame
  }
  return { head: head?.$case === 'head' ? head.value : undefined, bytes: Buffer.concat(chunks) }
}

const kindOf = async (promise: Promise<unknown>) => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof Error && 'kind' in error ? error.kind : error
}

describe('the music service', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let service: OpenService
  let wav: Uint8Array
  let chain: Chain

  beforeAll(async () => {
    directory = await temporaryDirectory()
    service = await openService(directory.path, { MUSIC_MAX_SECONDS: '60' })
    wav = await wavOf(piece(), RATE)
    chain = await upload(service, wav, { filename: 'Evening theme.wav' })
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await directory[Symbol.asyncDispose]()
  })

  const branch = (request: Partial<Parameters<OpenService['client']['createBranches']>[0]> = {}) =>
    service.client.createBranches(
      { chainId: chain.chainId, nodeId: chain.rootNodeId, durationSeconds: 2, seed: 1, ...request },
      asLocal,
    )

  test('an upload becomes a chain of one committed node, with tempo and key', () => {
    expect(chain).toMatchObject({
      name: 'Evening theme',
      sampleRate: RATE,
      channels: 2,
      key: expect.any(String),
      spine: [chain.rootNodeId],
    })
    expect(chain.bpm).toBeCloseTo(120, 0)
    expect(chain.nodes).toMatchObject([
      {
        kind: 'NODE_KIND_UPLOAD',
        status: 'NODE_STATUS_READY',
        decision: 'DECISION_COMMITTED',
        durationSeconds: 6,
        seam: null,
        seed: undefined,
        loudnessRangeLu: expect.any(Number),
      },
    ])
  })

  test('the audio of an upload is returned bit-exactly, and so is any range of it', async () => {
    const request = { chainId: chain.chainId, nodeId: chain.rootNodeId }
    const whole = await content(service.client.getNodeAudio(request, asLocal))
    expect(whole.bytes.equals(wav)).toBe(true)
    expect(whole.head).toMatchObject({ mediaType: 'audio/wav', size: wav.length })
    const part = await content(service.client.getNodeAudio({ ...request, range: 'bytes=40-59' }, asLocal))
    expect(part.bytes.equals(wav.subarray(40, 60))).toBe(true)
    expect(
      await kindOf(content(service.client.getNodeAudio({ ...request, range: `bytes=${wav.length}-` }, asLocal))),
    ).toBe('range_not_satisfiable')
  })

  test('an upload as MP3 plays exactly as long', async () => {
    const request = { chainId: chain.chainId, nodeId: chain.rootNodeId, format: 'AUDIO_FORMAT_MP3' } as const
    const { bytes, head } = await content(service.client.getNodeAudio(request, asLocal))
    expect(head?.mediaType).toBe('audio/mpeg')
    expect(blockLength((await decodeAll(bytes)).block)).toBe(6 * RATE)
  })

  test('an upload as FLAC has exactly its samples', async () => {
    const request = { chainId: chain.chainId, nodeId: chain.rootNodeId, format: 'AUDIO_FORMAT_FLAC' } as const
    const { bytes, head } = await content(service.client.getNodeAudio(request, asLocal))
    expect(head?.mediaType).toBe('audio/flac')
    expect((await decodeAll(bytes)).block).toEqual((await decodeAll(wav)).block)
  })

  test('a spectrogram is drawn in the requested size, and a stretch outside of the node is rejected', async () => {
    const place = { chainId: chain.chainId, nodeId: chain.rootNodeId }
    const draw = (request: { start?: number; end?: number } = {}) =>
      content(service.client.getNodeSpectrogram({ ...place, width: 60, height: 32, ...request }, asLocal))
    const { bytes, head } = await draw()
    expect(head?.mediaType).toBe('image/png')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([60, 32])
    expect((await draw()).bytes.equals(bytes)).toBe(true)
    expect((await draw({ start: 1, end: 2 })).bytes.equals(bytes)).toBe(false)
    expect(await kindOf(draw({ start: 6 }))).toBe('invalid')
    expect(await kindOf(draw({ start: 2, end: 1 }))).toBe('invalid')
  })

  test('the outline of an upload has the requested number of points', async () => {
    const peaks = await service.client.getNodePeaks(
      { chainId: chain.chainId, nodeId: chain.rootNodeId, points: 7 },
      asLocal,
    )
    expect(peaks).toMatchObject({ points: 7, durationSeconds: 6 })
    expect([peaks.min.length, peaks.max.length]).toEqual([7, 7])
    expect(Math.max(...peaks.max)).toBeGreaterThan(0.2)
    for (const value of [...peaks.min, ...peaks.max]) expect(String(Math.abs(value))).toMatch(/^\d(?:\.\d{1,3})?$/)
  })

  test('takes are generated in the background, in the exact length, and their seams are measured', async () => {
    const { nodes } = await branch({ takes: 2, durationSeconds: 2.00001, prompt: 'more energy, jazzy' })
    expect(nodes).toMatchObject([
      { status: 'NODE_STATUS_GENERATING', seed: 1, parentId: chain.rootNodeId },
      { status: 'NODE_STATUS_GENERATING', seed: 2, decision: 'DECISION_UNDECIDED' },
    ])
    const after = await settled(service, chain.chainId)
    for (const { nodeId } of nodes) {
      const node = nodeOf(after, nodeId)
      expect(node).toMatchObject({
        status: 'NODE_STATUS_READY',
        progress: 1,
        error: undefined,
        generator: 'GENERATOR_RECOMBINE',
        promptHonored: ['energy'],
        promptIgnored: ['jazzy'],
      })
      expect(node.durationSeconds).toBe(Math.round(2.00001 * RATE) / RATE)
      expect(node.seam?.distancePercentile).toBeGreaterThanOrEqual(0)
      const { bytes } = await content(service.client.getNodeAudio({ chainId: chain.chainId, nodeId }, asLocal))
      expect(blockLength((await decodeAll(bytes)).block)).toBe(44_100)
    }
  })

  test('the bytes of a take are determined by its parent, seed and parameters', async () => {
    const made = await Promise.all([branch({ seed: 7 }), branch({ seed: 7 }), branch({ seed: 8 })])
    await settled(service, chain.chainId)
    const [first, again, other] = await Promise.all(
      made.map(({ nodes }) =>
        content(service.client.getNodeAudio({ chainId: chain.chainId, nodeId: nodes[0]?.nodeId ?? '' }, asLocal)),
      ),
    )
    expect(first?.bytes.equals(again?.bytes ?? Buffer.alloc(0))).toBe(true)
    expect(first?.bytes.equals(other?.bytes ?? Buffer.alloc(0))).toBe(false)
  })

  test('committing and discarding change the spine, and exports have exactly its length', async () => {
    const { nodes } = await branch({ takes: 2, seed: 20, durationSeconds: 1.5, generator: 'GENERATOR_MOCK' })
    await settled(service, chain.chainId)
    const [one, two] = nodes.map(({ nodeId }) => nodeId)
    const decide = (nodeId = '', what: 'commitNode' | 'discardNode') =>
      service.client[what]({ chainId: chain.chainId, nodeId }, asLocal)
    expect((await decide(one, 'commitNode')).spine).toEqual([chain.rootNodeId, one])
    const displaced = await decide(two, 'commitNode')
    expect(displaced.spine).toEqual([chain.rootNodeId, two])
    expect(nodeOf(displaced, one).decision).toBe('DECISION_UNDECIDED')
    const frames = 6 * RATE + Math.round(1.5 * RATE)
    const formats = [
      { format: 'AUDIO_FORMAT_MP3' as const },
      { format: 'AUDIO_FORMAT_FLAC' as const, crossfadeMs: 200 },
    ]
    for (const options of [{}, { crossfadeMs: 200 }, { normalize: true }, ...formats]) {
      const { bytes, head } = await content(service.client.exportChain({ chainId: chain.chainId, ...options }, asLocal))
      expect(blockLength((await decodeAll(bytes)).block)).toBe(frames)
      expect(head?.filename).toMatch(/^Evening theme\.(wav|mp3|flac)$/)
      const request = { chainId: chain.chainId, ...options, range: 'bytes=100-' }
      const rest = await content(service.client.exportChain(request, asLocal))
      expect(rest.bytes.equals(bytes.subarray(100))).toBe(true)
    }
    expect((await decide(two, 'discardNode')).spine).toEqual([chain.rootNodeId])
    expect(await kindOf(decide(chain.rootNodeId, 'discardNode'))).toBe('conflict')
  })

  test.each([
    ['take.wav', 'take.wav'],
    ['take.WAV', 'take.wav'],
    ['take.mp3', 'take.wav'],
    ['take 1.5', 'take 1.5.wav'],
    ['.wav', '.wav.wav'],
  ])('the export of a chain "%s" is the file "%s"', async (name, expected) => {
    const own = await upload(service, wav, { name })
    const { head } = await content(service.client.exportChain({ chainId: own.chainId }, asLocal))
    expect(head?.filename).toBe(expected)
  })

  test('events of nodes are numbered, and a client that reconnects misses nothing', async () => {
    const own = await upload(service, wav, { name: 'Events' })
    const leave = new AbortController()
    const seen: ChainEvent[] = []
    const following = (async () => {
      for await (const event of service.client.streamChainEvents(
        { chainId: own.chainId },
        { ...asLocal, signal: leave.signal },
      )) {
        seen.push(event)
        if (event.event?.$case === 'nodeStatus' && event.event.value.status === 'NODE_STATUS_READY') return
      }
    })()
    await service.client.createBranches(
      { chainId: own.chainId, nodeId: own.rootNodeId, generator: 'GENERATOR_MOCK', durationSeconds: 1 },
      asLocal,
    )
    await following
    const [opening, first, ...rest] = seen
    expect(opening).toMatchObject({ eventId: expect.stringMatching(/^\d+$/), event: null })
    expect(first?.event?.value).toMatchObject({
      status: 'NODE_STATUS_GENERATING',
      progress: 0,
      decision: 'DECISION_UNDECIDED',
      error: undefined,
    })
    // Also one that has received no event, but the position at which its stream began.
    for (const from of [opening, first]) {
      const replayed: ChainEvent[] = []
      for await (const event of service.client.streamChainEvents(
        { chainId: own.chainId, lastEventId: from?.eventId ?? '' },
        { ...asLocal, signal: leave.signal },
      )) {
        if (event.event) replayed.push(event)
        if (event.eventId === rest.at(-1)?.eventId) break
      }
      expect(replayed.at(-1)).toEqual(rest.at(-1))
    }
    leave.abort()
  })

  test.each(['999999999999999999', '-1', '0x1', 'x'])(
    'a client with the event id %s, which no event has had, gets a reset from whose id it resumes',
    async (lastEventId) => {
      const own = await upload(service, wav, { name: 'Reset' })
      const firstAfter = async (id = '') => {
        const leave = new AbortController()
        const request = { chainId: own.chainId, lastEventId: id }
        try {
          for await (const event of service.client.streamChainEvents(request, { ...asLocal, signal: leave.signal }))
            if (event.event) return event
        } finally {
          leave.abort()
        }
        return undefined
      }
      const reset = await firstAfter(lastEventId)
      expect(reset).toMatchObject({ eventId: expect.stringMatching(/^\d+$/), event: { $case: 'reset' } })
      await service.client.createBranches(
        { chainId: own.chainId, nodeId: own.rootNodeId, generator: 'GENERATOR_MOCK', durationSeconds: 1 },
        asLocal,
      )
      const first = await firstAfter(reset?.eventId)
      expect(first).toMatchObject({ event: { $case: 'nodeStatus', value: { status: 'NODE_STATUS_GENERATING' } } })
    },
  )

  test('followers of a chain are notified of removed nodes, and their streams end with the chain', async () => {
    const own = await upload(service, wav, { name: 'Removals' })
    const { client } = service
    const place = { chainId: own.chainId, nodeId: own.rootNodeId }
    const seen: (NonNullable<ChainEvent['event']> | null)[] = []
    const { promise: isOpen, resolve } = Promise.withResolvers<void>()
    const following = (async () => {
      for await (const { event } of client.streamChainEvents({ chainId: own.chainId }, asLocal)) {
        resolve()
        if (event?.$case !== 'nodeStatus') seen.push(event)
      }
    })()
    await isOpen
    const { nodes } = await client.createBranches({ ...place, durationSeconds: 20 }, asLocal)
    const [{ nodeId } = { nodeId: '' }] = nodes
    await client.deleteNode({ chainId: own.chainId, nodeId }, asLocal)
    await client.deleteChain({ chainId: own.chainId }, asLocal)
    await following
    expect(seen).toEqual([
      null,
      { $case: 'nodeRemoved', value: { nodeId } },
      { $case: 'chainRemoved', value: { chainId: own.chainId } },
    ])
  })

  test.each([
    ['AAC', 'band.m4a'],
    ['ALAC', 'band-alac.m4a'],
  ])('an upload of %s in M4A becomes a chain of exactly its length', async (_, name) => {
    const own = await upload(service, fixture(name), { filename: name })
    expect(own).toMatchObject({ sampleRate: 22_050, channels: 2, nodes: [{ durationSeconds: 26_461 / 22_050 }] })
  })

  test.each<[string, () => Promise<Uint8Array> | Uint8Array, string]>([
    ['text', () => Buffer.from('not audio at all'.repeat(100)), 'unsupported_media'],
    ['HE-AAC', heAac, 'unsupported_media'],
    ['an empty file', () => new Uint8Array(0), 'invalid'],
    ['half a second', () => wavOf(piece(0.5), RATE), 'invalid'],
    ['a few kilobytes that encode an hour', () => flacSilence(5_000), 'invalid'],
    ['a header and nothing else', () => wav.slice(0, 44), 'invalid'],
  ])('an upload of %s is rejected, and leaves no files', async (_, make, kind) => {
    const keys = async () => (await Array.fromAsync(service.files.list('music/'))).length
    const before = await keys()
    expect(await kindOf(upload(service, await make()))).toBe(kind)
    expect(await keys()).toBe(before)
    expect(await service.client.getHealth({})).toEqual({ status: 'ok' })
  })

  test('silence cannot be continued', async () => {
    const silent = await upload(service, await wavOf([new Float32Array(2 * RATE)], RATE))
    expect(silent).toMatchObject({ loudnessLufs: undefined, bpm: undefined, key: undefined })
    expect(
      await kindOf(service.client.createBranches({ chainId: silent.chainId, nodeId: silent.rootNodeId }, asLocal)),
    ).toBe('invalid')
  })

  test('speech is not recombined: the generation fails with a sentence', async () => {
    const speech = speak({ seconds: 12, seed: 2, hertz: 120, pace: 5, sampleRate: RATE })
    const { chainId, rootNodeId } = await upload(service, await wavOf([speech], RATE))
    const request = { chainId, nodeId: rootNodeId, generator: 'GENERATOR_RECOMBINE' as const }
    const { nodes } = await service.client.createBranches(request, asLocal)
    expect(nodeOf(await settled(service, chainId), nodes[0]?.nodeId)).toMatchObject({
      status: 'NODE_STATUS_ERROR',
      error: expect.stringMatching(/^The audio is speech\./),
    })
  })

  test('missing, unfinished and conflicting nodes have their own errors', async () => {
    const { client } = service
    const place = { chainId: chain.chainId, nodeId: chain.rootNodeId }
    expect(await kindOf(client.getChain({ chainId: 'unknown' }, asLocal))).toBe('not_found')
    expect(await kindOf(client.deleteChain({ chainId: 'unknown' }, asLocal))).toBe('not_found')
    expect(await kindOf(client.getNodePeaks({ ...place, nodeId: 'unknown' }, asLocal))).toBe('not_found')
    expect(await kindOf(branch({ generator: 'GENERATOR_ONNX' }))).toBe('unavailable')
    expect(await kindOf(branch({ seed: Number.MAX_SAFE_INTEGER, takes: 2 }))).toBe('invalid')
    expect(await kindOf(client.retryNode(place, asLocal))).toBe('conflict')
    expect(await kindOf(client.deleteNode(place, asLocal))).toBe('conflict')
    const { nodes } = await branch({ durationSeconds: 20 })
    const [generating] = nodes
    const child = { chainId: chain.chainId, nodeId: generating?.nodeId ?? '' }
    expect(await kindOf(client.createBranches(child, asLocal))).toBe('conflict')
    expect(await kindOf(client.commitNode(child, asLocal))).toBe('conflict')
    expect(await kindOf(content(client.getNodeAudio(child, asLocal)))).toBe('conflict')
    await client.deleteNode(child, asLocal)
    expect(
      (await client.getChain({ chainId: chain.chainId }, asLocal)).nodes.some(({ nodeId }) => nodeId === child.nodeId),
    ).toBe(false)
  })

  test('chains are listed only for their owner, newest first, by page', async () => {
    const { client } = service
    const account = { caller: { userId: 'ann', kind: 'account', tier: 'free' } } as const
    const guest = { caller: { userId: 'guest:1', kind: 'guest', tier: 'free' } } as const
    const visitor = { caller: { userId: 'anonymous', kind: 'anonymous', tier: 'free' } } as const
    const made = [
      await upload(service, wav, { name: 'One', ...account }),
      await upload(service, wav, { name: 'Two', ...account }),
    ]
    const first = await client.listChains({ limit: 1 }, account)
    const second = await client.listChains({ limit: 1, cursor: first.nextCursor }, account)
    expect([...first.chains, ...second.chains].map(({ name }) => name)).toEqual(['Two', 'One'])
    expect(second.nextCursor).toBeUndefined()
    expect(await kindOf(client.getChain({ chainId: made[0]?.chainId ?? '' }, asLocal))).toBe('not_found')
    for (const other of [guest, visitor]) {
      expect((await client.listChains({}, other)).chains).toEqual([])
      expect(await kindOf(upload(service, wav, other))).toBe('forbidden')
    }
    expect(await kindOf(client.listChains({ cursor: 'nonsense' }, account))).toBe('invalid')
    const otherList = Buffer.from('some words').toString('base64url')
    expect(await kindOf(client.listChains({ cursor: otherList }, account))).toBe('invalid')
  })

  test('a chain has changed when a take is added, decided on or removed', async () => {
    const { client } = service
    const { chainId, rootNodeId } = await upload(service, wav)
    const get = () => client.getChain({ chainId }, asLocal)
    const changes = async (change: () => Promise<unknown>) => {
      const before = Date.parse((await get()).updatedAt)
      await expect.poll(() => Date.now()).toBeGreaterThan(before)
      await change()
      expect(Date.parse((await get()).updatedAt)).toBeGreaterThan(before)
    }
    await changes(() => client.createBranches({ chainId, nodeId: rootNodeId, durationSeconds: 1 }, asLocal))
    const nodeId = (await get()).nodes.at(-1)?.nodeId ?? ''
    await changes(() => client.discardNode({ chainId, nodeId }, asLocal))
    await changes(() => client.deleteNode({ chainId, nodeId }, asLocal))
  })

  test('a chain can be renamed, and deleted with all its files', async () => {
    const { client, files } = service
    const own = await upload(service, wav, { name: '  Draft  ' })
    expect(own.name).toBe('Draft')
    expect(
      (await client.updateChain({ chainId: own.chainId, name: 'Final', updateMask: ['name'] }, asLocal)).name,
    ).toBe('Final')
    await content(client.exportChain({ chainId: own.chainId }, asLocal))
    await client.deleteChain({ chainId: own.chainId }, asLocal)
    expect(await kindOf(client.getChain({ chainId: own.chainId }, asLocal))).toBe('not_found')
    const left = (await Array.fromAsync(files.list('music/'))).map(({ key }) => key)
    expect(left.filter((key) => key.includes(own.chainId) || key.includes(own.rootNodeId))).toEqual([])
  })
})

test('generations that were under way when the server stopped are resumed at the next start', async () => {
  await using directory = await temporaryDirectory()
  let [chainId, nodeId] = ['', '']
  {
    await using service = await openService(directory.path)
    const chain = await upload(service, await wavOf(piece(), RATE))
    const { nodes } = await service.client.createBranches(
      { chainId: chain.chainId, nodeId: chain.rootNodeId, durationSeconds: 60 },
      asLocal,
    )
    chainId = chain.chainId
    nodeId = nodes[0]?.nodeId ?? ''
  }
  await using service = await openService(directory.path)
  expect(nodeOf(await settled(service, chainId), nodeId).status).toBe('NODE_STATUS_READY')
})

test('a failed generation has its reason, and can be retried', async () => {
  await using directory = await temporaryDirectory()
  await using service = await openService(directory.path)
  const { client, files } = service
  const { chainId, rootNodeId } = await upload(service, await wavOf(piece(), RATE))
  const key = nodeFile(rootNodeId, 'samples')
  const samples = await files.readRange(key, { start: 0, end: Number.MAX_SAFE_INTEGER })
  await files.remove(key)
  const { nodes } = await client.createBranches({ chainId, nodeId: rootNodeId, durationSeconds: 1 }, asLocal)
  const nodeId = nodes[0]?.nodeId ?? ''
  expect(nodeOf(await settled(service, chainId), nodeId)).toMatchObject({
    status: 'NODE_STATUS_ERROR',
    error: expect.stringContaining('no longer exists'),
  })
  await files.write(key, samples)
  const retried = await client.retryNode({ chainId, nodeId }, asLocal)
  expect(retried).toMatchObject({ status: 'NODE_STATUS_GENERATING', error: undefined })
  expect(nodeOf(await settled(service, chainId), nodeId).status).toBe('NODE_STATUS_READY')
})

test('MUSIC_GENERATOR_MOCK generates a test tune instead of music', async () => {
  await using directory = await temporaryDirectory()
  await using service = await openService(directory.path, {
    MUSIC_GENERATOR_MOCK: '1',
    MUSIC_DB_PATH: `${directory.path}/elsewhere.db`,
  })
  const chain = await upload(service, await wavOf(piece(), RATE))
  const { nodes } = await service.client.createBranches(
    { chainId: chain.chainId, nodeId: chain.rootNodeId, durationSeconds: 1 },
    asLocal,
  )
  expect(nodes[0]?.generator).toBe('GENERATOR_MOCK')
  const ready = nodeOf(await settled(service, chain.chainId), nodes[0]?.nodeId)
  expect(ready.status).toBe('NODE_STATUS_READY')
  expect(ready.loudnessLufs).toBeGreaterThan(-40)
})
