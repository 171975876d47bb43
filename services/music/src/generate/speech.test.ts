import { readFileSync } from 'node:fs'
import { sample } from '@trellis/test/support/exploration'
import { sharedData } from '@trellis/test/support/shared-data'
import { describe, expect, test } from 'vitest'
import { decodeAll } from '../../test/audio-files.ts'
import { type Speaker, speak } from '../../test/spoken-words.ts'
import { arrangements, type PartName, playParts } from '../../test/stem-pieces.ts'
import { type PieceScore, playPiece, stylesOf } from '../../test/synthetic-pieces.ts'
import { monoInMemory } from '../analysis/mono-piece.ts'
import { analysisRate, computeSpectralFrames } from '../analysis/spectral-frames.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import { monoOf } from '../audio/pcm.ts'
import { resample } from '../audio/resample.ts'
import { createRandom } from '../dsp/random.ts'
import { recombine } from './recombine.ts'
import { isSpeech } from './speech.ts'

const isSpeechIn = (samples: Float32Array) => isSpeech(monoInMemory(samples), computeSpectralFrames(samples))

const withNoise = (samples: Float32Array, level: number): Float32Array => {
  const random = createRandom(3)
  return samples.map((value) => value + level * (2 * random.next() - 1))
}

describe('a voice that speaks', () => {
  const speakers: [hertz: number, pace: number][] = [
    [95, 4],
    [120, 6],
    [190, 4.5],
    [230, 6],
    [300, 5],
  ]
  test.each(sample(speakers, 3))('at %d Hz, with %d syllables a second, is speech', async (hertz, pace) => {
    for (const seed of sample([1, 2, 3, 4], 2)) {
      const speaker: Speaker = { seconds: 14, seed, hertz, pace, sampleRate: analysisRate }
      expect(await isSpeechIn(speak(speaker)), `seed ${seed}`).toBe(true)
    }
  })

  test('in a noisy room, or among long pauses, is speech', async () => {
    const speech = speak({ seconds: 14, seed: 5, hertz: 130, pace: 5, sampleRate: analysisRate })
    expect(await isSpeechIn(withNoise(speech, 0.002))).toBe(true)
    const late = new Float32Array(2 * speech.length)
    late.set(speech, speech.length)
    expect(await isSpeechIn(late)).toBe(true)
  })

  test('is not recombined, with a sentence', async () => {
    const speech = speak({ seconds: 12, seed: 6, hertz: 110, pace: 5, sampleRate: analysisRate })
    const request = { context: audioInMemory([speech], analysisRate), frames: analysisRate, seed: 1, prompt: '' }
    await expect(recombine(request)).rejects.toMatchObject({
      name: 'AudioRefused',
      reason: 'speech',
      message: expect.stringMatching(/^The audio is speech\. .+\.$/),
    })
  })

  test('over music is music', async () => {
    const piece = playPiece({ metre: '4/4', style: 'folk', bpm: 110, seconds: 14, seed: 4 }).samples
    const speech = speak({ seconds: 14, seed: 7, hertz: 120, pace: 5, sampleRate: analysisRate })
    expect(await isSpeechIn(piece.map((value, i) => value + (speech[i] ?? 0)))).toBe(false)
  })
})

describe('music is not speech:', () => {
  const parts = arrangements.flatMap((arrangement, index) =>
    (['vocals', 'drums', 'bass', 'other'] as const).map((part): [PartName, number, typeof arrangement] => [
      part,
      index + 1,
      arrangement,
    ]),
  )
  test.each(sample(parts, 4))('%s alone of arrangement %d', async (part, _, arrangement) => {
    const { parts: played } = playParts({ ...arrangement, channels: 1, seconds: 12, sampleRate: analysisRate })
    expect(await isSpeechIn(monoOf(played[part]))).toBe(false)
  })

  test('someone singing without accompaniment', async () => {
    for (const arrangement of sample(arrangements, 2)) {
      const { parts: played } = playParts({ ...arrangement, channels: 1, seconds: 12, sampleRate: analysisRate })
      expect(await isSpeechIn(monoOf(played.vocals))).toBe(false)
    }
  })

  const scores = Object.entries(stylesOf).flatMap(([metre, styles]) =>
    styles.flatMap((style) => [60, 110, 170].map((bpm) => ({ metre, style, bpm, seconds: 14, seed: 8 }) as PieceScore)),
  )
  test.each(sample(scores, 4))('$style in $metre at $bpm bpm', async (score) => {
    expect(await isSpeechIn(playPiece(score).samples)).toBe(false)
  })

  const recordings = ['vibe-ace', 'brahms-hungarian-dance-5', 'solo-trumpet-90bpm'].map((name) => ({
    name,
    path: sharedData('audio', `${name}.ogg`),
  }))
  test.skipIf(recordings.some(({ path }) => !path)).each(recordings)(
    'the recording $name, and each of its thirds (skipped without the shared audio)',
    async ({ path }) => {
      const { block, sampleRate } = await decodeAll(readFileSync(path ?? ''))
      const mono = resample(monoOf(block), sampleRate, analysisRate)
      const third = Math.floor(mono.length / 3)
      for (const part of [mono, ...[0, 1, 2].map((i) => mono.subarray(i * third, (i + 1) * third))])
        expect(await isSpeechIn(part)).toBe(false)
    },
  )
})
