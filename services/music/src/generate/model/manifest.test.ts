import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { type ModelKind, smallModels } from '../../../test/models/make-models.ts'
import { ModelUnusable } from '../../onnx/model-unusable.ts'
import { readModelFolder } from './manifest.ts'
import { openModel } from './open-model.ts'
import { tryModel } from './try-model.ts'

/** A copy of a small model, of which fields of the manifest are changed, or the whole file. */
const copied = async (folder: string, kind: ModelKind, changes: object | string) => {
  const source = (await smallModels())[kind]
  await cp(source, folder, { recursive: true })
  const path = join(folder, 'model.json')
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, typeof changes === 'string' ? changes : JSON.stringify(Object.assign({}, manifest, changes)))
  return folder
}

test.each<[string, ModelKind, object | string, RegExp]>([
  ['text', 'latent', '{', /model\.json is not JSON/],
  ['a list', 'latent', '[]', /model\.json is not an object/],
  ['an unknown kind', 'latent', { kind: 'choir' }, /"kind"/],
  ['no sample rate', 'latent', { sample_rate: undefined }, /"sample_rate": /],
  ['a sample rate of a word', 'latent', { sample_rate: '44100' }, /"sample_rate": .*expected (?:number|int)/],
  ['too many steps', 'latent', { scheduler: { type: 'rectified_flow', steps: 5_000 } }, /"scheduler\.steps": /],
  [
    'more steps than it was trained with',
    'latent',
    { scheduler: { type: 'ddim', steps: 20, train_steps: 10 } },
    /"scheduler\.steps" must be at most/,
  ],
  ['a window of a day', 'latent', { window_seconds: 86_400 }, /"window_seconds": /],
  ['a window shorter than its frames', 'latent', { hop: 65_536, window_seconds: 1 }, /at least four times "hop"/],
  ['a context as long as the window', 'latent', { context_seconds: 12 }, /"context_seconds" must be at most/],
  ['an unknown field', 'latent', { colour: 'blue' }, /colour/],
  [
    'a file outside of its folder',
    'latent',
    { files: { encoder: '../x.onnx', decoder: 'decoder.onnx', network: 'denoiser.onnx' } },
    /"files\.encoder": must be the name of a file/,
  ],
  [
    'a missing file',
    'latent',
    { files: { encoder: 'encoder.onnx', decoder: 'decoder.onnx', network: 'other.onnx' } },
    /There is no file .*other\.onnx/,
  ],
  ['delays of other codebooks', 'autoregressive', { delays: [0, 1] }, /"delays" must have one number/],
  ['no text although it has a text encoder', 'autoregressive', { text: undefined }, /"text" must describe/],
])('a manifest with %s is refused with a sentence', async (_, kind, changes, sentence) => {
  await using directory = await temporaryDirectory()
  const reading = readModelFolder(await copied(join(directory.path, 'model'), kind, changes))
  await expect(reading).rejects.toThrow(ModelUnusable)
  await expect(reading).rejects.toThrow(sentence)
})

test('a folder without a manifest is refused, and the file is named', async () => {
  await using directory = await temporaryDirectory()
  await mkdir(join(directory.path, 'empty'))
  await expect(readModelFolder(join(directory.path, 'empty'))).rejects.toThrow(/There is no file .*empty\/model\.json/)
})

test.each<[string, ModelKind, object, RegExp]>([
  ['another number of codebooks', 'autoregressive', { codebooks: 3 }, /encodec_encoder\.onnx returns \[1, 1, 4, /],
  ['a larger codebook', 'autoregressive', { codebook_size: 256, special_token: 128 }, /returns logits \[.*is expected/],
  ['a shorter hop', 'autoregressive', { hop: 100 }, /"hop" in model\.json is 100/],
  ['another width of latents', 'latent', { latent_channels: 64 }, /encoder\.onnx returns \[1, 48, /],
  ['two channels', 'latent', { channels: 2 }, /must be \[1, 2, samples\]/],
  ['another name of an input', 'latent', { names: { noisy: 'absent' } }, /no input "noisy".* sample \[1, 48, \?\]/],
])(
  'networks that do not fit a manifest with %s are refused, and what they have is named',
  async (_, kind, changes, sentence) => {
    await using directory = await temporaryDirectory()
    const folder = await readModelFolder(await copied(join(directory.path, 'model'), kind, changes))
    const trying = async () => {
      await using model = await openModel(folder, 'cpu')
      await tryModel(model)
    }
    await expect(trying()).rejects.toThrow(ModelUnusable)
    await expect(trying()).rejects.toThrow(sentence)
  },
)

test.each(['autoregressive', 'latent'] as const)(
  'a model of the kind %s that fits its manifest passes the trial',
  async (kind) => {
    await using model = await openModel(await readModelFolder((await smallModels())[kind]), 'auto')
    await tryModel(model)
    expect(['cpu', 'cuda']).toContain(model.device)
  },
)

test('a network that is no network is refused, and the file is named', async () => {
  await using directory = await temporaryDirectory()
  const path = await copied(join(directory.path, 'model'), 'latent', {})
  await rm(join(path, 'denoiser.onnx'))
  await writeFile(join(path, 'denoiser.onnx'), 'text')
  await expect(openModel(await readModelFolder(path), 'cpu')).rejects.toThrow(/denoiser\.onnx cannot be loaded/)
})
