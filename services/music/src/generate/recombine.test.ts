import { readFileSync } from 'node:fs'
import { sample } from '@trellis/test/support/exploration'
import { sharedData } from '@trellis/test/support/shared-data'
import { describe, expect, test } from 'vitest'
import { judgeHiddenHalves } from '../../bench/hidden-half.ts'
import { decodeAll } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { formSeconds, playPiece } from '../../test/synthetic-pieces.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import { loudnessOf } from '../audio/loudness.ts'
import { type Block, blockLength, sliceBlock } from '../audio/pcm.ts'
import { createRandom } from '../dsp/random.ts'
import { measureSeam } from './measure-seam.ts'
import { mockContinuation } from './mock.ts'
import { recombine } from './recombine.ts'

const RATE = 22_050
const band = playBand({ bpm: 112, bars: 12, sampleRate: RATE, channels: 2 })
/** For what holds of any piece: its analysis takes half the time. */
const short = playBand({ bpm: 112, bars: 6, sampleRate: RATE, channels: 2 })

const continueBlock = (block: Block, { seconds = 8, seed = 1, prompt = '', rate = RATE } = {}) =>
  recombine({ context: audioInMemory(block, rate), frames: Math.round(seconds * rate), seed, prompt })

const head = (block: Block, seconds: number, rate = RATE) => sliceBlock(block, 0, Math.round(seconds * rate))

const noise = (seconds: number, channels: number, level = 0.2): Block => {
  const random = createRandom(9)
  return Array.from({ length: channels }, () =>
    Float32Array.from({ length: seconds * RATE }, () => level * (2 * random.next() - 1)),
  )
}

/** The largest difference between consecutive samples. */
const largestStep = (samples: Float32Array) =>
  samples.reduce((max, value, i) => (i === 0 ? 0 : Math.max(max, Math.abs(value - (samples[i - 1] ?? 0)))), 0)

describe('a continuation', () => {
  test.each(sample([1, 3.33337, 8, 60], 2))(
    'of %d s has exactly that length, in the shape of its source',
    async (seconds) => {
      const { block } = await continueBlock(short.block, { seconds })
      expect(block).toHaveLength(2)
      expect(blockLength(block)).toBe(Math.round(seconds * RATE))
    },
  )

  test('is determined by its seed', async () => {
    const takes = await Promise.all([1, 1, 2, 3, 4].map((seed) => continueBlock(short.block, { seed, seconds: 4 })))
    const [first, again, ...others] = takes.map(({ block }) => Buffer.from(block[0]?.buffer ?? new ArrayBuffer()))
    expect(again?.equals(first ?? Buffer.alloc(0))).toBe(true)
    expect(new Set([first, ...others].map((bytes) => bytes?.toString('base64'))).size).toBe(4)
  })

  test.each(sample([6.13, 14.27], 1))(
    'of a piece cut at %d s matches its beat, its level and its sound',
    async (seconds) => {
      const before = head(band.block, seconds)
      for (const seed of sample([1, 2], 1)) {
        const { block } = await continueBlock(before, { seed })
        const seam = measureSeam({ before, after: block, sampleRate: RATE })
        expect(seam.beatErrorMs).toBeLessThan(30)
        expect(seam.loudnessStepLu).toBeLessThan(1.5)
        const cuts = [
          noise(8, 2),
          playBand({ bpm: 133, tonic: 66, sampleRate: RATE }).block.map((channel) => channel.subarray(70_000)),
        ]
        const other = cuts.map((after) => measureSeam({ before, after, sampleRate: RATE }).distancePercentile ?? 100)
        expect(seam.distancePercentile).toBeLessThanOrEqual(Math.max(...other))
      }
    },
  )

  test('has no clicks: no step is larger than those of its source', async () => {
    const before = head(band.block, 13.7)
    const { block } = await continueBlock(before, { seconds: 20 })
    for (const [index, channel] of block.entries()) {
      const source = before[index] ?? channel
      expect(largestStep(channel)).toBeLessThanOrEqual(1.2 * largestStep(source))
      expect(Math.abs((channel[0] ?? 0) - (source.at(-1) ?? 0))).toBeLessThanOrEqual(largestStep(source))
    }
  })

  test('is neither silent nor a loop: no bar follows itself', async () => {
    const { block } = await continueBlock(band.block, { seconds: 30 })
    const [samples] = block
    const bar = Math.round(4 * (60 / band.bpm) * RATE)
    for (let at = 0; at + 2 * bar < blockLength(block); at += bar) {
      expect(loudnessOf(sliceBlock(block, at, at + bar), RATE)).toBeGreaterThan(-40)
      const [one, next] = [samples?.subarray(at, at + bar), samples?.subarray(at + bar, at + 2 * bar)]
      expect(one).not.toEqual(next)
    }
  })

  test('after a piece that fades out enters as softly as the piece ended', async () => {
    const before = head(band.block, 15).map((channel) =>
      channel.map((value, i) => value * Math.max(0, 1 - Math.max(0, i / RATE - 12) / 2.5) ** 2),
    )
    const { block } = await continueBlock(before)
    expect(loudnessOf(head(block, 0.2), RATE) ?? -100).toBeLessThan(-45)
    expect(loudnessOf(sliceBlock(block, 3 * RATE, 6 * RATE), RATE)).toBeGreaterThan(-30)
  })

  const unusual: [string, Block][] = [
    ['one second of music', head(band.block, 1)],
    ['noise', noise(6, 1)],
    ['a single long tone', [Float32Array.from({ length: 5 * RATE }, (_, i) => 0.3 * Math.sin(i * 0.06))]],
    [
      'a burst in silence',
      [Float32Array.from({ length: 4 * RATE }, (_, i) => (i < 5_000 ? 0.5 * Math.sin(i * 0.1) : 0))],
    ],
    ['a soft piece', noise(3, 2, 0.005)],
  ]
  test.each(sample(unusual, 3))('of %s is audible and within full scale', async (_, source) => {
    const { block } = await continueBlock(source, { seconds: 5 })
    expect(blockLength(block)).toBe(5 * RATE)
    const peak = Math.max(...block.map((channel) => channel.reduce((max, value) => Math.max(max, Math.abs(value)), 0)))
    expect(peak).toBeGreaterThan(0)
    expect(peak).toBeLessThanOrEqual(1)
  })

  test('of silence is rejected', async () => {
    await expect(continueBlock([new Float32Array(3 * RATE)])).rejects.toMatchObject({
      name: 'AudioRefused',
      reason: 'silent',
    })
  })

  test('of channels that cancel each other out is rejected with what to do, not as silence', async () => {
    const [left = new Float32Array()] = head(short.block, 3)
    await expect(continueBlock([left, left.map((value) => -value)])).rejects.toMatchObject({
      name: 'AudioRefused',
      message: expect.stringContaining('invert the polarity of one'),
    })
    await expect(continueBlock([left.map(() => 0), left.map(() => 0)])).rejects.toThrow('The audio is silent')
  })

  test('follows known words: an outro ends in silence, calm is softer than energetic', async () => {
    const quiet = band.block.map((channel) =>
      channel.map((value, i) => (i < blockLength(band.block) / 2 ? value * 0.25 : value)),
    )
    const [calm, lively, outro] = await Promise.all(
      ['calm', 'with more energy', 'a slow outro'].map((prompt) => continueBlock(quiet, { prompt, seconds: 20 })),
    )
    expect([calm?.honored, lively?.honored, outro?.honored]).toEqual([['calm'], ['energy'], ['slow', 'outro']])
    expect(loudnessOf(calm?.block ?? [], RATE) ?? 0).toBeLessThan(loudnessOf(lively?.block ?? [], RATE) ?? 0)
    expect(loudnessOf(sliceBlock(outro?.block ?? [], Math.round(19.9 * RATE), 20 * RATE), RATE) ?? -100).toBeLessThan(
      -50,
    )
  })

  test('is nearer to the hidden second half of its piece than other pieces are', async () => {
    const scores = [
      { metre: '4/4', style: 'rock', bpm: 128 },
      { metre: '3/4', style: 'waltz', bpm: 144 },
      { metre: '6/8', style: 'jig', bpm: 90 },
    ] as const
    const sources = scores.map((score) => ({
      name: score.style,
      block: [playPiece({ ...score, seconds: formSeconds(score), seed: 3 }).samples],
      sampleRate: RATE,
    }))
    for (const { name, distances, nearestOther } of await judgeHiddenHalves(sources, 8))
      expect(Math.max(...distances), name).toBeLessThan(nearestOther)
  })

  test('is cancelled by its signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(
      recombine({ context: audioInMemory(band.block, RATE), frames: 1000, seed: 1, prompt: '', signal }),
    ).rejects.toThrow('enough')
  })

  const recordings = ['vibe-ace', 'brahms-hungarian-dance-5'].map((name) => sharedData('audio', `${name}.ogg`))
  test.skipIf(recordings.some((path) => !path)).each(sample(recordings, 1))(
    'of a truncated recording is less strange than a cut to noise (skipped without the shared audio)',
    async (path) => {
      const { block, sampleRate } = await decodeAll(readFileSync(path ?? ''))
      const percentiles: number[] = []
      for (const seconds of [17.3, 29.2, 34.9]) {
        const before = head(block, seconds, sampleRate)
        const after = (await continueBlock(before, { rate: sampleRate })).block
        const seam = measureSeam({ before, after, sampleRate })
        percentiles.push(seam.distancePercentile ?? 100)
        expect(seam.loudnessStepLu).toBeLessThan(1.5)
        expect(seam.beatErrorMs ?? 0).toBeLessThan(40)
        expect(measureSeam({ before, after: noise(8, 1), sampleRate }).distancePercentile).toBeGreaterThan(97)
      }
      expect(Math.max(...percentiles)).toBeLessThan(97)
      expect(Math.min(...percentiles)).toBeLessThan(90)
    },
  )
})

test('the mock is audible, and determined by its seed', async () => {
  const make = (seed: number) =>
    mockContinuation({ context: audioInMemory(band.block, RATE), frames: 3 * RATE, prompt: '', seed })
  const [one, again, other] = await Promise.all([make(1), make(1), make(2)])
  expect(one.block).toEqual(again.block)
  expect(one.block).not.toEqual(other.block)
  expect(loudnessOf(one.block, RATE)).toBeGreaterThan(-35)
})
