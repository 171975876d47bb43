import { readFileSync } from 'node:fs'
import { sample } from '@trellis/test/support/exploration'
import { sharedData } from '@trellis/test/support/shared-data'
import { describe, expect, test } from 'vitest'
import { decodeAll } from '../../test/audio-files.ts'
import { type Piece, playBand } from '../../test/band.ts'
import { monoOf } from '../audio/pcm.ts'
import { resample } from '../audio/resample.ts'
import { createRandom } from '../dsp/random.ts'
import { median } from '../dsp/statistics.ts'
import { analyse } from './analyse.ts'
import { analysisRate } from './spectral-frames.ts'

const analysePiece = ({ block, sampleRate }: Pick<Piece, 'block' | 'sampleRate'>) =>
  analyse(resample(monoOf(block), sampleRate, analysisRate))

/** Share of the true beats (s) that were found within 70 ms, the usual window. */
const found = (truth: readonly number[], beats: readonly number[]) =>
  truth.filter((beat) => beats.some((at) => Math.abs(at / analysisRate - beat) <= 0.07)).length / truth.length

/** Median delay (ms) of the detected beats. */
const lateness = (truth: readonly number[], beats: readonly number[]) =>
  1000 *
  median(
    truth.map((beat) =>
      beats.reduce(
        (nearest, at) => (Math.abs(at / analysisRate - beat) < Math.abs(nearest) ? at / analysisRate - beat : nearest),
        1,
      ),
    ),
  )

describe('a band whose score is known', () => {
  const scores = [
    { bpm: 75, tonic: 65, mode: 'minor', beatsPerBar: 4 },
    { bpm: 90, tonic: 65, mode: 'major', beatsPerBar: 4, lead: 0.37 },
    { bpm: 100, tonic: 62, mode: 'minor', beatsPerBar: 3 },
    { bpm: 120, tonic: 57, mode: 'minor', beatsPerBar: 4 },
    { bpm: 128, tonic: 67, mode: 'major', beatsPerBar: 4, lead: 1, sampleRate: 48_000 },
    { bpm: 140, tonic: 64, mode: 'minor', beatsPerBar: 4, channels: 1 },
    { bpm: 110, tonic: 63, mode: 'major', beatsPerBar: 4, drums: false },
  ] as const
  test.each(sample(scores, 3))('is detected at $bpm bpm, $beatsPerBar beats to a bar, tonic $tonic $mode', (score) => {
    const piece = playBand({ ...score, bars: 12 })
    const { bpm, beats, bars, key } = analysePiece(piece)
    expect(bpm).toBeCloseTo(piece.bpm, 0)
    expect(key?.name).toBe(piece.key)
    expect(found(piece.beats, beats)).toBeGreaterThan(0.95)
    expect(Math.abs(lateness(piece.beats, beats))).toBeLessThan(5)
    expect(bars.beatsPerBar).toBe(piece.beatsPerBar)
    const downbeat = beats[bars.positions.indexOf(0)] ?? 0
    const bar = (downbeat / analysisRate - (piece.beats[0] ?? 0)) / ((60 / piece.bpm) * piece.beatsPerBar)
    expect(Math.abs(bar - Math.round(bar))).toBeLessThan(0.05)
  })

  test('has its first beat at its beginning, if it begins with a beat', () => {
    const [first = 1000] = analysePiece(playBand({ bpm: 100, bars: 8, sampleRate: analysisRate })).beats
    expect((1000 * first) / analysisRate).toBeLessThan(3)
  })

  test.each([
    [160, 3],
    [174, 4],
  ] as const)('is detected at %d bpm with %d beats to a bar, not at half of it', (tempo, beatsPerBar) => {
    expect(analysePiece(playBand({ bpm: tempo, bars: 12, beatsPerBar })).bpm).toBeCloseTo(tempo, 0)
  })

  test('at 60 bpm is detected at that tempo or at its eighths', () => {
    const octave = Math.log2((analysePiece(playBand({ bpm: 60, bars: 8 })).bpm ?? 1) / 60)
    expect(Math.min(Math.abs(octave), Math.abs(octave - 1))).toBeLessThan(0.02)
  })

  test('that fades out has a steady beat to the end', () => {
    const piece = playBand({ bpm: 100, bars: 8, channels: 1 })
    const [samples] = piece.block
    const from = (samples?.length ?? 0) - 3 * piece.sampleRate
    samples?.forEach((value, i) => {
      if (i > from) samples[i] = value * Math.max(0, 1 - (i - from) / (2 * piece.sampleRate)) ** 2
    })
    const { beats } = analysePiece(piece)
    const last = (beats.at(-1) ?? 0) / analysisRate
    expect(Math.abs(last / 0.6 - Math.round(last / 0.6))).toBeLessThan(0.05)
  })
})

describe('a signal without a beat', () => {
  const random = createRandom(3)
  const seconds = (count: number, sample: (time: number) => number) =>
    Float32Array.from({ length: count * analysisRate }, (_, i) => sample(i / analysisRate))
  const pad = (time: number) =>
    [220, 277.2, 330].reduce(
      (sum, hertz, i) =>
        sum + 0.1 * Math.sin(2 * Math.PI * hertz * time) * (1 + 0.5 * Math.sin(time * (0.7 + 0.3 * i))),
      0,
    )

  test.each<[string, Float32Array]>([
    ['noise', seconds(15, () => 0.2 * (2 * random.next() - 1))],
    ['a slow pad', seconds(15, pad)],
    ['silence', new Float32Array(5 * analysisRate)],
    ['almost nothing', new Float32Array(10)],
  ])('has no tempo: %s', (_, signal) => {
    expect(analyse(signal).bpm).toBeNull()
  })

  test('a few notes have no tempo: too few beats are likely', () => {
    const times = [0.3, 0.7, 1, 1.2, 1.5]
    const note = (time: number, from: number) =>
      time < from ? 0 : Math.exp(-6 * (time - from)) * Math.sin(2 * Math.PI * 440 * (time - from))
    const notes = seconds(5, (time) => times.reduce((sum, from) => sum + 0.3 * note(time, from), 0))
    expect(analyse(notes).bpm).toBeNull()
  })

  test('may still have a key', () => {
    expect(analyse(seconds(10, pad)).key?.name).toBe('A major')
    expect(analyse(new Float32Array(analysisRate)).key).toBeNull()
  })
})

describe('third-party recordings (skipped without the shared audio)', () => {
  const path = (name: string) => sharedData('audio', `${name}.ogg`)
  const analysisOf = async (name: string) => analysePiece(await decodeAll(readFileSync(path(name) ?? '')))

  test.skipIf(!path('vibe-ace'))('steady jazz has one tempo from beginning to end', async () => {
    const { bpm, beats } = await analysisOf('vibe-ace')
    const intervals = beats.slice(1).map((beat, i) => beat - (beats[i] ?? 0))
    const usual = median(intervals)
    expect(
      intervals.filter((interval) => Math.abs(interval / usual - 1) < 0.08).length / intervals.length,
    ).toBeGreaterThan(0.9)
    expect(bpm).toBeCloseTo((60 * analysisRate) / usual, -1)
  })

  /** Tempi of each third alone. */
  const thirdsOf = async (name: string) => {
    const { block, sampleRate } = await decodeAll(readFileSync(path(name) ?? ''))
    const mono = resample(monoOf(block), sampleRate, analysisRate)
    const bound = (third: number) => Math.floor((third * mono.length) / 3)
    return [0, 1, 2].map((third) => analyse(mono.subarray(bound(third), bound(third + 1))).bpm)
  }

  test.skipIf(!path('vibe-ace'))('each third of steady jazz has the tempo of the whole', async () => {
    const { bpm } = await analysisOf('vibe-ace')
    for (const third of await thirdsOf('vibe-ace')) expect((third ?? 0) / (bpm ?? 1)).toBeCloseTo(1, 1)
  })

  test.skipIf(!path('solo-trumpet-90bpm'))('eight syncopated notes have no tempo, nor have their thirds', async () => {
    expect((await analysisOf('solo-trumpet-90bpm')).bpm).toBeNull()
    expect(await thirdsOf('solo-trumpet-90bpm')).toEqual([null, null, null])
  })

  test.skipIf(!path('solo-trumpet-90bpm'))('the tonic of the trumpet is F', async () => {
    expect((await analysisOf('solo-trumpet-90bpm')).key?.name).toMatch(/^F m/)
  })

  test.skipIf(!path('brahms-hungarian-dance-5'))('the dance is in G minor', async () => {
    expect((await analysisOf('brahms-hungarian-dance-5')).key?.name).toBe('G minor')
  })
})
