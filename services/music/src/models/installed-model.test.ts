import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { wavOf } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { smallModels } from '../../test/models/make-models.ts'
import { local, nodeOf, type OpenService, openService, settled, upload } from '../../test/open-service.ts'

const asLocal = { caller: local }
const rate = 22_050
const wav = await wavOf(playBand({ bpm: 112, bars: 5, sampleRate: rate }).block, rate)

const modelOf = async ({ client }: OpenService) => {
  const { generators } = await client.getGpu({}, asLocal)
  return generators.find(({ name }) => name === 'onnx')
}

/** A copy of a small model with another manifest. */
const changed = async (folder: string, changes: object): Promise<string> => {
  await cp((await smallModels()).autoregressive, folder, { recursive: true })
  const path = join(folder, 'model.json')
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...changes }))
  return folder
}

/** A service with a chain, and requests for branches of its root. */
const openChain = async (directory: string, environment: Record<string, string>) => {
  await using opened = new AsyncDisposableStack()
  const service = opened.use(await openService(directory, environment))
  const chain = await upload(service, wav)
  const place = { chainId: chain.chainId, nodeId: chain.rootNodeId }
  const branch = (request: Parameters<typeof service.client.createBranches>[0]) =>
    service.client.createBranches({ ...place, ...request }, asLocal)
  const stack = opened.move()
  return { service, chain, branch, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('a model continues a chain, and the capacity lists it', async () => {
  await using directory = await temporaryDirectory()
  const { autoregressive } = await smallModels()
  await using opened = await openChain(directory.path, { MUSIC_MODEL: autoregressive })
  const { service, chain, branch } = opened
  const listed = { name: 'onnx', available: true, maxSeconds: 60, sampleRate: 16_000 }
  expect(await modelOf(service)).toMatchObject(listed)
  const request = { generator: 'GENERATOR_ONNX', prompt: 'bright purple', durationSeconds: 3.5, seed: 7 } as const
  const { nodes } = await branch({ ...request, takes: 2 })
  const { nodes: own } = await branch({ ...request, generator: 'GENERATOR_AUTO', contextSeconds: 2 })
  const ready = await settled(service, chain.chainId)
  const [first, second] = nodes.map(({ nodeId }) => nodeOf(ready, nodeId))
  const short = nodeOf(ready, own[0]?.nodeId)
  expect(first).toMatchObject({
    status: 'NODE_STATUS_READY',
    generator: 'GENERATOR_ONNX',
    durationSeconds: 3.5,
    // The longest context of this model.
    contextSeconds: 6,
    promptHonored: ['bright'],
    promptIgnored: ['purple'],
    seam: { distancePercentile: expect.any(Number), loudnessStepLu: expect.any(Number) },
  })
  expect(short).toMatchObject({ status: 'NODE_STATUS_READY', generator: 'GENERATOR_ONNX', contextSeconds: 2 })
  const { nodes: repeated } = await branch({ ...request })
  const again = nodeOf(await settled(service, chain.chainId), repeated[0]?.nodeId)
  const samples = async (id: string | undefined) => {
    const key = `music/nodes/${id}/samples.s24le`
    const info = await service.files.stat(key)
    return Buffer.from(await service.files.readRange(key, { start: 0, end: info?.size ?? 0 }))
  }
  expect((await samples(again.nodeId)).equals(await samples(first?.nodeId))).toBe(true)
  expect((await samples(second?.nodeId)).equals(await samples(first?.nodeId))).toBe(false)
  expect((await samples(short.nodeId)).equals(await samples(first?.nodeId))).toBe(false)
})

test('a model uses 10 s of context by default', async () => {
  await using directory = await temporaryDirectory()
  const model = await changed(join(directory.path, 'model'), { window_seconds: 30, context_seconds: 20 })
  await using opened = await openChain(join(directory.path, 'data'), { MUSIC_MODEL: model })
  await expect.poll(async () => modelOf(opened.service)).toMatchObject({ available: true })
  const { nodes } = await opened.branch({ generator: 'GENERATOR_ONNX', durationSeconds: 1 })
  expect(nodes).toMatchObject([{ contextSeconds: 10 }])
  await settled(opened.service, opened.chain.chainId)
})

test('a generation by a model is cancelled when its node is deleted', async () => {
  await using directory = await temporaryDirectory()
  const { latent } = await smallModels()
  await using opened = await openChain(directory.path, { MUSIC_MODEL: latent })
  const { service, chain, branch } = opened
  const { nodes } = await branch({ generator: 'GENERATOR_ONNX', durationSeconds: 60 })
  const [node] = nodes
  await service.client.deleteNode({ chainId: chain.chainId, nodeId: node?.nodeId ?? '' }, asLocal)
  await expect.poll(async () => (await service.client.getGpu({}, asLocal)).running).toBe(0)
  const left = await service.client.getChain({ chainId: chain.chainId }, asLocal)
  expect(left.nodes.map(({ nodeId }) => nodeId)).toEqual([chain.rootNodeId])
})

test.each([
  ['whose folder is missing', undefined, /The model of MUSIC_MODEL cannot be used\. There is no file .*model\.json/],
  ['whose manifest does not fit', { codebooks: 3 }, /encodec_encoder\.onnx returns \[1, 1, 4, /],
] as const)(
  'a model %s is unavailable, with the reason, and recombining is used instead',
  async (_, changes, reason) => {
    await using directory = await temporaryDirectory()
    const model = join(directory.path, 'model')
    if (changes) await changed(model, changes)
    const data = join(directory.path, 'data')
    await using opened = await openChain(data, { MUSIC_MODEL: model })
    const { service, chain, branch } = opened
    await expect
      .poll(async () => modelOf(service))
      .toMatchObject({ available: false, reason: expect.stringMatching(reason) })
    await expect(branch({ generator: 'GENERATOR_ONNX' })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(reason),
    })
    const { nodes } = await branch({ generator: 'GENERATOR_AUTO', durationSeconds: 1 })
    expect(nodes).toMatchObject([{ generator: 'GENERATOR_RECOMBINE' }])
    await settled(service, chain.chainId)
  },
)

test('a GPU that is required but missing is named', async () => {
  await using directory = await temporaryDirectory()
  const { latent } = await smallModels()
  const runtime = { modelDevice: 'cuda', visibleGpus: '-1' } as const
  await using service = await openService(directory.path, { MUSIC_MODEL: latent }, runtime)
  await expect
    .poll(async () => modelOf(service))
    .toMatchObject({
      available: false,
      reason: expect.stringMatching(
        /No GPU can be used, but MUSIC_MODEL_DEVICE is "cuda"\. (This machine has no GPU|The GPU files|CUDA reports)/,
      ),
    })
})

test('a model with a fault of its own is refused for that, also where a GPU is required but missing', async () => {
  await using directory = await temporaryDirectory()
  const model = await changed(join(directory.path, 'model'), { codebooks: 3 })
  const runtime = { modelDevice: 'cuda', visibleGpus: '' } as const
  await using service = await openService(join(directory.path, 'data'), { MUSIC_MODEL: model }, runtime)
  await expect
    .poll(async () => modelOf(service))
    .toMatchObject({ available: false, reason: expect.stringMatching(/encodec_encoder\.onnx returns \[1, 1, 4, /) })
})

test('a model that exceeds the memory of a worker is refused, and the setting is named', async () => {
  await using directory = await temporaryDirectory()
  const model = join(directory.path, 'model')
  await cp((await smallModels()).latent, model, { recursive: true })
  await writeFile(join(model, 'denoiser.onnx_data'), Buffer.alloc(257 * 2 ** 20))
  const environment = { MUSIC_MODEL: model, MUSIC_WORKER_MEMORY_MB: '256' }
  await using service = await openService(join(directory.path, 'data'), environment)
  expect((await modelOf(service))?.reason).toMatch(/have 25\d MB.*256 MB of memory: raise MUSIC_WORKER_MEMORY_MB/)
})

test('a model is tried again when its files have changed, and limits the length of a request', async () => {
  await using directory = await temporaryDirectory()
  const model = join(directory.path, 'model')
  await using opened = await openChain(join(directory.path, 'data'), { MUSIC_MODEL: model })
  const { service, branch } = opened
  expect(await modelOf(service)).toMatchObject({ available: false })
  await changed(model, { max_seconds: 5 })
  await expect.poll(async () => modelOf(service)).toMatchObject({ available: true, maxSeconds: 5 })
  await expect(branch({ generator: 'GENERATOR_ONNX', durationSeconds: 6 })).rejects.toMatchObject({
    kind: 'invalid',
  })
})
