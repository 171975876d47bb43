import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createModel, type OpenModelOptions } from './model.ts'
import { type TinyModel, writeTinyModel } from './tiny-model-for-tests.ts'

const words = { disk: [3, 0, 4], full: [0, 5, 0], fine: [0, 0, -8] }
const embedding: TinyModel = { task: 'embedding', words }
const classification: TinyModel = {
  task: 'classification',
  words: { root: [0, 2], kim: [2, 0] },
  labels: ['benign', 'attack'],
}

/** A model in a folder of its own, with the problems it reported. */
const open = async (model: TinyModel | undefined, options: Partial<OpenModelOptions> = {}) => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-model-'))
  if (model) await writeTinyModel(directory, model)
  const problems: string[] = []
  const opened = createModel({
    directory,
    task: model?.task ?? 'embedding',
    onProblem: (problem) => problems.push(problem),
    ...options,
  })
  return {
    model: opened,
    directory,
    problems,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
const rounded = (vectors: readonly Float32Array[]) =>
  vectors.map((vector) => [...vector].map((value) => Math.round(value * 1000) / 1000))

describe('a model from a folder', () => {
  test('yields the mean of the token vectors, normalized, in the order of the texts', async () => {
    await using opened = await open(embedding)
    const [mixed = new Float32Array(), ...others] = await opened.model.run([
      'disk disk disk disk full',
      'full',
      'Disk',
      'something else',
    ])
    expect(rounded(others)).toEqual([
      [0, 1, 0],
      [0.6, 0, 0.8],
      [0, 0, 0],
    ])
    // Four disks and one full are (12, 5, 16).
    expect(mixed[0]).toBeCloseTo(12 / Math.hypot(12, 5, 16), 5)
    expect(mixed[1]).toBeCloseTo(5 / Math.hypot(12, 5, 16), 5)
  })

  test('uses the first token or the largest values as 1_Pooling/config.json configures', async () => {
    const pooling = { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }
    await using first = await open({ ...embedding, words: { ...words, '[CLS]': [1, 0, 0] }, pooling })
    expect(rounded(await first.model.run(['disk']))).toEqual([[1, 0, 0]])
    await using largest = await open({ ...embedding, pooling: { pooling_mode_max_tokens: true } })
    const [vector = new Float32Array()] = await largest.model.run(['disk full fine'])
    expect(vector[0]).toBeCloseTo(3 / Math.hypot(3, 5, 4), 5)
  })

  test('reads labels from id2label, and yields their probabilities', async () => {
    await using opened = await open(classification)
    expect(await opened.model.load()).toMatchObject({ labels: ['benign', 'attack'], width: 2 })
    const [root = new Float32Array(), both = new Float32Array()] = await opened.model.run(['root', 'root kim'])
    expect(root[1]).toBeCloseTo(1 / (1 + Math.exp(-2)), 5)
    expect(both[1]).toBeCloseTo(0.5, 5)
  })

  test('yields independent probabilities if several labels may apply', async () => {
    await using opened = await open({ ...classification, config: { problem_type: 'multi_label_classification' } })
    const [both = new Float32Array()] = await opened.model.run(['root kim'])
    expect(both[0]).toBeCloseTo(1 / (1 + Math.exp(-2)), 5)
    expect(both[1]).toBeCloseTo(1 / (1 + Math.exp(-2)), 5)
  })

  test('truncates a text at the maximum length of the model', async () => {
    await using opened = await open(embedding)
    const [vector = new Float32Array()] = await opened.model.run([`${'disk '.repeat(62)}${'full '.repeat(500)}`])
    expect(vector[1]).toBe(0)
  })

  test.each(['model.onnx', 'model_quantized.onnx', 'onnx/model_quantized.onnx'])(
    'finds the network as %s',
    async (network) => {
      await using opened = await open({ ...embedding, network })
      expect(await opened.model.load()).toMatchObject({ width: 3 })
    },
  )

  test('has the same fingerprint in any folder, and a different one for another model', async () => {
    await using one = await open(embedding)
    await using same = await open(embedding)
    await using other = await open({ ...embedding, words: { ...words, more: [1, 1, 1] } })
    const [first, second, third] = await Promise.all([one, same, other].map(({ model }) => model.load()))
    expect(second?.fingerprint).toBe(first?.fingerprint)
    expect(third?.fingerprint).not.toBe(first?.fingerprint)
  })

  test('ends its thread when idle, and loads again', async () => {
    await using opened = await open(embedding, { idleMilliseconds: 20 })
    await opened.model.run(['disk'])
    await expect.poll(() => opened.model.isLoaded).toBe(false)
    expect(rounded(await opened.model.run(['full']))).toEqual([[0, 1, 0]])
  })
})

const faults: [string, TinyModel | undefined, Partial<OpenModelOptions>, RegExp][] = [
  ['an empty folder', undefined, {}, /config\.json does not exist\.$/],
  ['no tokenizer', { ...embedding, files: { 'tokenizer.json': null } }, {}, /tokenizer\.json does not exist\.$/],
  [
    'a tokenizer that is not JSON',
    { ...embedding, files: { 'tokenizer.json': '{' } },
    {},
    /tokenizer\.json is not JSON\.$/,
  ],
  [
    'an unsupported tokenizer',
    { ...embedding, files: { 'tokenizer.json': { model: {} } } },
    {},
    /tokenizer\.json of .* is not a supported tokenizer/,
  ],
  [
    'no network',
    { ...embedding, files: { 'onnx/model.onnx': null } },
    {},
    /contains none of onnx\/model_quantized\.onnx, onnx\/model\.onnx/,
  ],
  [
    'an invalid network',
    { ...embedding, files: { 'onnx/model.onnx': 'no network' } },
    {},
    /model\.onnx cannot be loaded on the device "cpu"/,
  ],
  ['a config that is a list', { ...embedding, files: { 'config.json': '[]' } }, {}, /config\.json is not an object\.$/],
  [
    'labels without text',
    { ...classification, config: { id2label: { 0: 1 } } },
    {},
    /id2label in .*config\.json has no text for 0\.$/,
  ],
  [
    'fewer labels than classes',
    { ...classification, labels: ['one'] },
    {},
    /has 2 classes, but config\.json names 1 labels/,
  ],
  [
    'an unavailable device',
    embedding,
    { device: 'abacus' },
    /"abacus" is not available as a device for models; available are cpu/,
  ],
]

describe('a model that cannot be used', () => {
  test.each(faults)('%s: the message names the problem', async (_, model, options, sentence) => {
    await using opened = await open(model, options)
    await expect(opened.model.load()).rejects.toThrow(sentence)
    expect(opened.model.problem).toMatch(sentence)
  })

  test('is retried only after a delay', async () => {
    await using opened = await open(undefined, { retryMilliseconds: 0 })
    await expect(opened.model.run(['disk'])).rejects.toThrow('config.json')
    await mkdir(opened.directory, { recursive: true })
    await writeTinyModel(opened.directory, embedding)
    expect(rounded(await opened.model.run(['full']))).toEqual([[0, 1, 0]])
    await using patient = await open(undefined)
    await expect(patient.model.load()).rejects.toThrow('config.json')
    await writeTinyModel(patient.directory, embedding)
    await expect(patient.model.load()).rejects.toThrow('config.json')
    expect(patient.problems).toHaveLength(1)
  })
})
