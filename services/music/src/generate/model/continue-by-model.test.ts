import { sample } from '@trellis/test/support/exploration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playBand } from '../../../test/band.ts'
import { type ModelKind, smallModels } from '../../../test/models/make-models.ts'
import { analysisRate, BANDS, computeSpectralFrames } from '../../analysis/spectral-frames.ts'
import { audioInMemory } from '../../audio/audio-path.ts'
import { type Block, blockLength, joinBlocks, monoOf, silentBlock, sliceBlock } from '../../audio/pcm.ts'
import { resample } from '../../audio/resample.ts'
import { createRandom } from '../../dsp/random.ts'
import type { ContinuationRequest } from '../generator.ts'
import { measureSeam } from '../measure-seam.ts'
import { continueByModel } from './continue-by-model.ts'
import { readModelFolder } from './manifest.ts'
import { type MusicModel, openModel } from './open-model.ts'

const rate = 16_000
const piece = playBand({ bpm: 112, bars: 6, tonic: 65, sampleRate: rate, channels: 1, seed: 4 }).block
const context = audioInMemory(piece, rate)
const opened = new AsyncDisposableStack()
const models = new Map<ModelKind, MusicModel>()
const kinds = ['autoregressive', 'latent'] as const

beforeAll(async () => {
  const folders = await smallModels()
  for (const kind of kinds) models.set(kind, opened.use(await openModel(await readModelFolder(folders[kind]), 'cpu')))
})
afterAll(() => opened.disposeAsync())

const modelOf = (kind: ModelKind): MusicModel => {
  const model = models.get(kind)
  if (!model) throw new Error(`There is no model ${kind}.`)
  return model
}
const continued = (kind: ModelKind, request: Partial<ContinuationRequest> = {}) =>
  continueByModel(modelOf(kind))({ context, frames: 4 * rate, prompt: '', seed: 5, ...request })

/** The same request for several tests. */
const usual = new Map<ModelKind, ReturnType<typeof continued>>()
const usually = (kind: ModelKind) => {
  const made = usual.get(kind) ?? continued(kind)
  usual.set(kind, made)
  return made
}

/** The mean level of each band (dB), relative to the mean of all: what a piece sounds like, regardless of its loudness. */
const timbreOf = (block: Block): Float32Array => {
  const { frames, levels } = computeSpectralFrames(resample(monoOf(block), rate, analysisRate))
  const timbre = new Float32Array(BANDS)
  for (const [index, level] of levels.entries()) timbre[index % BANDS] = (timbre[index % BANDS] ?? 0) + level / frames
  const mean = timbre.reduce((sum, level) => sum + level, 0) / BANDS
  return timbre.map((level) => level - mean)
}

/** Difference in timbre (dB) from the end of the piece. */
const distanceFromPiece = (block: Block): number => {
  const [own, other] = [timbreOf(piece.map((channel) => channel.subarray(-6 * rate))), timbreOf(block)]
  return Math.sqrt(own.reduce((sum, level, band) => sum + (level - (other[band] ?? 0)) ** 2, 0) / BANDS)
}

const noiseOf = (length: number): Block => {
  const random = createRandom(9)
  return silentBlock(1, length).map((channel) => channel.map(() => 0.3 * (random.next() - 0.5)))
}

/** What the codec of a model makes of random frames: how it sounds without its network. */
const randomFrames = async (kind: ModelKind): Promise<Block> => {
  const { codec, manifest } = modelOf(kind)
  const random = createRandom(3)
  const frames = await codec.encode(noiseOf(4 * rate))
  const drawn = frames.map((row) =>
    row.map(() =>
      manifest.kind === 'latent' ? Math.sqrt(12) * (random.next() - 0.5) : Math.floor(random.next() * 128),
    ),
  )
  return codec.decode(drawn)
}

/** Mean frequency, as the power of the differences of samples against that of the samples. */
const brightness = (block: Block): number => {
  const mono = monoOf(block)
  const power = mono.reduce((sum, value) => sum + value * value, 0)
  return mono.reduce((sum, value, i) => sum + (value - (mono[i - 1] ?? value)) ** 2, 0) / power
}

describe.each(sample(kinds, 1, 'kinds of models'))('a model of the kind %s', (kind) => {
  test('continues a piece nearer to it than noise, another piece, and random frames of its own codec are', async () => {
    const { block } = await usually(kind)
    const own = distanceFromPiece(block)
    const other = playBand({ bpm: 150, bars: 3, tonic: 58, mode: 'minor', sampleRate: rate, channels: 1, drums: false })
    expect(own).toBeLessThan(0.5 * distanceFromPiece(noiseOf(4 * rate)))
    expect(own).toBeLessThan(0.75 * distanceFromPiece(other.block))
    expect(own).toBeLessThan(0.8 * distanceFromPiece(await randomFrames(kind)))
  })

  test('joins the last samples of the piece at its level, without a click', async () => {
    const { block } = await usually(kind)
    const jump = Math.abs((block[0]?.[0] ?? 0) - (piece[0]?.at(-1) ?? 0))
    const steps = (piece[0] ?? new Float32Array(0)).map((value, i, all) => Math.abs(value - (all[i - 1] ?? value)))
    expect(jump).toBeLessThan(steps.reduce((most, step) => Math.max(most, step), 0))
    const seam = measureSeam({ before: piece, after: block, sampleRate: rate })
    expect(seam.distancePercentile).toBeLessThan(100)
    expect(seam.loudnessStepLu).toBeLessThan(8)
  })

  test('generates the same samples for the same request, and others for another seed', async () => {
    const { block } = await usually(kind)
    expect((await continued(kind)).block).toEqual(block)
    expect((await continued(kind, { seed: 6 })).block).not.toEqual(block)
  })

  test.each([
    [22_050, 1, 22_057],
    [44_100, 2, 50_001],
  ])('fits a chain of %i Hz with %i channels, to the sample', async (sampleRate, channels, frames) => {
    const { block: own } = playBand({ bars: 3, sampleRate, channels: channels === 1 ? 1 : 2 })
    const { block } = await continued(kind, { context: audioInMemory(own, sampleRate), frames })
    expect([block.length, blockLength(block)]).toEqual([channels, frames])
    expect(block.flatMap((channel) => [...channel]).every((value) => Math.abs(value) <= 1)).toBe(true)
  })

  test('takes no more of the context than requested', async () => {
    const contextFrames = 2 * rate
    const other = noiseOf(blockLength(piece)).map((channel, index) => {
      channel.set(piece[index]?.subarray(-3 * rate) ?? [], channel.length - 3 * rate)
      return channel
    })
    const elsewhere = { context: audioInMemory(other, rate) }
    const short = await continued(kind, { contextFrames, frames: rate })
    expect((await continued(kind, { contextFrames, frames: rate, ...elsewhere })).block).toEqual(short.block)
    const long = await continued(kind, { frames: rate })
    expect((await continued(kind, { frames: rate, ...elsewhere })).block).not.toEqual(long.block)
  })

  test('continues beyond its window in several, and reports its progress', async () => {
    const shares: number[] = []
    const { block } = await continued(kind, { frames: 14 * rate + 3, onProgress: (share) => shares.push(share) })
    expect(blockLength(block)).toBe(14 * rate + 3)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect([shares[0], (shares.at(-1) ?? 0) > 0.9]).toEqual([0.05, true])
    const end = sliceBlock(block, 10 * rate, 14 * rate)
    expect(distanceFromPiece(end)).toBeLessThan(0.5 * distanceFromPiece(noiseOf(4 * rate)))
  })

  test('stops between two steps when it is cancelled', async () => {
    const cancelling = new AbortController()
    let steps = 0
    const onProgress = () => {
      steps += 1
      if (steps === 3) cancelling.abort(new Error('cancelled'))
    }
    await expect(continued(kind, { signal: cancelling.signal, onProgress })).rejects.toThrow('cancelled')
    expect(steps).toBe(3)
  })

  test('refuses silence with a sentence', async () => {
    const silent = audioInMemory(joinBlocks([piece, silentBlock(1, 11 * rate)], 1), rate)
    await expect(continued(kind, { context: silent })).rejects.toThrow('The context is silent')
  })
})

test('a model with a text encoder follows the words that it knows, and reports only those', async () => {
  const bright = await continued('autoregressive', { frames: 2 * rate, prompt: 'a bright, purple tune' })
  const dark = await continued('autoregressive', { frames: 2 * rate, prompt: 'Dark' })
  expect([bright.honored, dark.honored]).toEqual([['bright'], ['dark']])
  expect(brightness(bright.block)).toBeGreaterThan(2 * brightness(dark.block))
})

test('words beyond the longest prompt of a model are not reported as followed', async () => {
  const { honored } = await continued('autoregressive', { frames: rate, prompt: `${'tune '.repeat(8)}dark` })
  expect(honored).toEqual([])
})

test('a model without a text encoder follows no words, and they change nothing', async () => {
  expect(await continued('latent', { prompt: 'bright' })).toEqual(await usually('latent'))
})
