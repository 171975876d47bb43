import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOnnxGraph, type OnnxGraph } from '@trellis/model-runtime/onnx-graph'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { likeness } from '../../../test/audio-files.ts'
import { audioInMemory } from '../../audio/audio-path.ts'
import type { Block } from '../../audio/pcm.ts'
import { encodeSamples, openStoredAudio, type StoredAudio } from '../../audio/stored-audio.ts'
import { ModelUnusable } from '../../onnx/model-unusable.ts'
import { createExactStems } from '../exact-stems.ts'
import { stemNames } from '../stem-names.ts'
import { readStemModel } from './model-folder.ts'
import { separateByModel } from './separate-by-model.ts'

const [frames, size, hop] = [16_384, 1_024, 256]
const [bins, columns] = [size / 2, frames / hop]

/** Weighs an input by stem (and by bin): the simplest network with the interface of a separator. */
const weigh = (graph: OnnxGraph, input: string, name: string, shape: readonly number[], data: Float32Array): string => {
  const axis = graph.weights(`${name}_axis`, { shape: [1], data: BigInt64Array.of(1n) })
  return graph.node('Mul', [graph.node('Unsqueeze', [input, axis]), graph.weights(name, { shape, data })])
}

/** A network for waveforms of any length: each stem is the mixture, weighed. */
const waveformNetwork = (weights: readonly number[], length: number | string = 'frames') => {
  const graph = createOnnxGraph('waveform')
  const input = graph.input('mix', 'float', [1, 2, length])
  const stems = weigh(graph, input, 'weights', [1, 4, 1, 1], Float32Array.from(weights))
  graph.output(stems, 'stems', [1, 4, 2, length])
  return graph.finish()
}

/** Bass below 300 Hz, drums above 3 kHz, vocals between 300 and 1,200 Hz, other between: weights by bin at 44.1 kHz. */
const bandWeights = (): Float32Array => {
  const edges = { drums: [3_000, 30_000], bass: [0, 300], other: [1_200, 3_000], vocals: [300, 1_200] }
  return Float32Array.from(
    Object.values(edges).flatMap(([low = 0, high = 0]) =>
      Array.from({ length: bins }, (_, bin) => {
        const hertz = (bin * 44_100) / size
        return hertz >= low && hertz < high ? 1 : 0
      }),
    ),
  )
}

/** A network that masks spectrograms. With a waveform branch, that subtracts a share of the mixture that the masks add. */
const spectralNetwork = (isHybrid: boolean) => {
  const graph = createOnnxGraph('spectral')
  const spectrogram = graph.input('x', 'float', [1, 4, bins, columns])
  const weights = bandWeights().map((weight) => (isHybrid ? weight + 0.2 : weight))
  const masked = weigh(graph, spectrogram, 'bands', [1, 4, 1, bins, 1], weights)
  graph.output(masked, 'spectra', [1, 4, 4, bins, columns])
  if (isHybrid) {
    const mix = graph.input('input', 'float', [1, 2, frames])
    graph.output(weigh(graph, mix, 'shares', [1, 4, 1, 1], new Float32Array(4).fill(-0.2)), 'waves', [1, 4, 2, frames])
  }
  return graph.finish()
}

const writeModel = async (folder: string, network: Uint8Array | undefined, description?: unknown) => {
  await mkdir(folder, { recursive: true })
  if (network) await writeFile(join(folder, 'model.onnx'), network)
  if (description !== undefined)
    await writeFile(
      join(folder, 'stems.json'),
      typeof description === 'string' ? description : JSON.stringify(description),
    )
}

const tones: Record<(typeof stemNames)[number], number> = { vocals: 600, drums: 5_000, bass: 100, other: 2_000 }
const tone = (hertz: number, rate: number, length: number) =>
  Float32Array.from({ length }, (_, i) => 0.15 * Math.sin((2 * Math.PI * hertz * i) / rate))

/** Four tones, one in the band of each stem, as stored. */
const mixtureOf = (rate: number, channels: number, length: number) => {
  const parts = stemNames.map((name) => tone(tones[name], rate, length))
  const sum = Float32Array.from({ length }, (_, i) => parts.reduce((total, part) => total + (part[i] ?? 0), 0))
  return stored(
    Array.from({ length: channels }, () => sum),
    rate,
  )
}

const stored = (block: Block, sampleRate: number): StoredAudio => {
  const bytes = encodeSamples(block)
  const source = { size: bytes.length, read: async (at: number, count: number) => bytes.subarray(at, at + count) }
  return openStoredAudio(source, { sampleRate, channels: block.length })
}

/** Separates by the model of a folder and checks that the stems sum to the piece, bit by bit. */
const separate = async (folder: string, audio: StoredAudio): Promise<Record<string, Block>> => {
  const options = { signal: new AbortController().signal, onProgress: () => undefined }
  const exact = createExactStems(audio)
  const chunks: Uint8Array[][] = stemNames.map(() => [])
  const separator = separateByModel(await readStemModel(folder))
  for await (const parts of exact.encoded(separator(audio, options)))
    parts.forEach((part, index) => void chunks[index]?.push(part))
  const files = chunks.map((parts) => Buffer.concat(parts))
  const whole = Buffer.from(encodeSamples(await audio.read(0, audio.frames)))
  const wrong = Array.from({ length: whole.length / 3 }, (_, i) => 3 * i).filter(
    (at) => files.reduce((sum, file) => sum + file.readIntLE(at, 3), 0) !== whole.readIntLE(at, 3),
  )
  expect(wrong).toEqual([])
  const blocks = await Promise.all(
    files.map((file) =>
      openStoredAudio({ size: file.length, read: async (at, count) => file.subarray(at, at + count) }, audio).read(
        0,
        audio.frames,
      ),
    ),
  )
  return Object.fromEntries(stemNames.map((name, index) => [name, blocks[index] ?? []]))
}

const spectral = { frames, fft_size: size, hop }

describe('separation by a model', () => {
  test.each([
    ['of 44.1 kHz in stereo', 44_100, 2],
    ['of 48 kHz in stereo', 48_000, 2],
    ['of 22.05 kHz in mono', 22_050, 1],
  ])('a model of waveforms separates a piece %s, in its own order of stems', async (_, rate, channels) => {
    await using directory = await temporaryDirectory()
    await writeModel(directory.path, waveformNetwork([0.1, 0.2, 0.3, 0.4]), { frames: 20_000 })
    const audio = mixtureOf(rate, channels, 60_001)
    const mixture = (await audio.read(0, audio.frames))[0] ?? new Float32Array(0)
    const stems = await separate(directory.path, audio)
    const gains = stemNames.map((name) => {
      const estimate = stems[name]?.[channels - 1] ?? new Float32Array(0)
      const product = estimate.reduce((sum, value, i) => sum + value * (mixture[i] ?? 0), 0)
      return product / mixture.reduce((sum, value) => sum + value * value, 0)
    })
    for (const [index, gain] of [0.4, 0.1, 0.2, 0.3].entries()) expect(gains[index]).toBeCloseTo(gain, 2)
  })

  test('estimates that do not sum to the mixture get what they lack in proportion to their energy', async () => {
    await using directory = await temporaryDirectory()
    await writeModel(directory.path, waveformNetwork([0, 0, 0.1, 0.3], frames), { normalize: false })
    const audio = mixtureOf(44_100, 2, 50_000)
    const [mixture = new Float32Array(0)] = await audio.read(0, audio.frames)
    const stems = await separate(directory.path, audio)
    const [vocals = new Float32Array(0)] = stems.vocals ?? []
    // 0.3 of the mixture, and nine tenths of the missing 0.6 of it.
    const at = mixture.indexOf(Math.max(...mixture))
    expect((vocals[at] ?? 0) / (mixture[at] ?? 1)).toBeCloseTo(0.84, 2)
    expect(Math.max(...(stems.drums?.[0] ?? []).map(Math.abs))).toBeLessThan(1e-4)
  })

  test.each([
    ['spectrograms', false],
    ['spectrograms and waveforms', true],
  ])('a model of %s separates by frequency', async (_, isHybrid) => {
    await using directory = await temporaryDirectory()
    await writeModel(directory.path, spectralNetwork(isHybrid), spectral)
    const audio = mixtureOf(44_100, 2, 70_000)
    const stems = await separate(directory.path, audio)
    for (const name of stemNames) {
      const truth = tone(tones[name], 44_100, audio.frames)
      expect(likeness(stems[name]?.[0] ?? new Float32Array(0), truth)).toBeGreaterThan(0.99)
    }
  })

  test('the same piece yields the same stems', async () => {
    await using directory = await temporaryDirectory()
    await writeModel(directory.path, spectralNetwork(false), spectral)
    const audio = mixtureOf(44_100, 2, 30_000)
    expect(await separate(directory.path, audio)).toEqual(await separate(directory.path, audio))
  })
})

const unusable: [string, Uint8Array | undefined, unknown, RegExp][] = [
  ['without a network', undefined, undefined, /There is no file .*model\.onnx\.$/],
  ['whose network is text', Buffer.from('text'), undefined, /model\.onnx cannot be loaded/],
  ['whose description is not JSON', waveformNetwork([1, 0, 0, 0]), '{', /stems\.json is not JSON\.$/],
  ['whose description is a list', waveformNetwork([1, 0, 0, 0]), [], /stems\.json is not an object\.$/],
  ['of two stems', waveformNetwork([1, 0, 0, 0]), { stems: ['vocals', 'other'] }, /must list vocals, drums, bass/],
  ['with a hop of a word', waveformNetwork([1, 0, 0, 0]), { hop: 'one' }, /"hop" in .* must be a whole number/],
  ['with a hop that does not divide', waveformNetwork([1, 0, 0, 0]), { hop: 1_000 }, /power of two and a multiple/],
]

test.each(unusable)('a model %s is refused with a sentence', async (_, network, description, sentence) => {
  await using directory = await temporaryDirectory()
  await writeModel(directory.path, network, description)
  const separating = separate(directory.path, mixtureOf(44_100, 2, 20_000))
  await expect(separating).rejects.toThrow(ModelUnusable)
  await expect(separating).rejects.toThrow(sentence)
})

test('a network with other inputs is refused, and its shapes are named', async () => {
  await using directory = await temporaryDirectory()
  const graph = createOnnxGraph('texts')
  const input = graph.input('tokens', 'float', [1, 7])
  graph.output(graph.node('Relu', [input]), 'scores', [1, 7])
  await writeModel(directory.path, graph.finish())
  const separating = separate(directory.path, audioInMemory([new Float32Array(20_000)], 44_100))
  await expect(separating).rejects.toThrow(/inputs tokens \[1, 7\].* takes \[1, 2, frames\]/)
})
