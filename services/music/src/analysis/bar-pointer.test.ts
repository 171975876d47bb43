import { sample } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { judgeAnalysis } from '../../bench/analysis.ts'
import { beatFMeasure, boundaryFMeasure, keyScore, tempoAccuracy } from '../../test/beat-metrics.ts'
import { type PieceScore, playPiece } from '../../test/synthetic-pieces.ts'

/** Scores at which the analysis must not fail; `npm run bench -- music-analysis` measures how often it does in general. */
const clear: readonly Pick<PieceScore, 'metre' | 'style' | 'bpm' | 'pace'>[] = [
  { metre: '4/4', style: 'rock', bpm: 72 },
  { metre: '4/4', style: 'swing', bpm: 150 },
  { metre: '4/4', style: 'strings', bpm: 90 },
  { metre: '4/4', style: 'four-floor', bpm: 128, pace: 'drift' },
  { metre: '3/4', style: 'waltz', bpm: 170 },
  { metre: '3/4', style: 'folk', bpm: 96 },
  { metre: '3/4', style: 'piano', bpm: 120, pace: 'drift' },
  { metre: '6/8', style: 'ballad', bpm: 72 },
  { metre: '6/8', style: 'arpeggio', bpm: 90 },
]

describe('a piece whose score is known', () => {
  test.each(sample(clear, 4))('has its tempo, beats, bars, metre and key found: $metre $style at $bpm', (score) => {
    const found = judgeAnalysis(playPiece({ ...score, seconds: 22, seed: 12 }))
    expect(found.metre).toBe(score.metre)
    expect(found.isTempoExact || score.pace === 'drift').toBe(true)
    expect(found.beats).toBeGreaterThan(0.95)
    expect(found.downbeats).toBeGreaterThan(0.9)
    expect(Math.abs(found.lateMs)).toBeLessThan(15)
    expect(found.key).toBeGreaterThanOrEqual(0.5)
  })
})

/** Pieces whose sounds between beats are nearly as strong as those on beats. */
const doubled = [
  { style: 'four-floor', bpm: 72, seed: 101 },
  { style: 'funk', bpm: 90, seed: 501 },
] as const

test.each(sample(doubled, 1))(
  'a piece with a snare on every other beat is not read at twice its tempo: $style at $bpm',
  ({ style, bpm, seed }) => {
    const found = judgeAnalysis(playPiece({ metre: '4/4', style, bpm, seed, seconds: 30 }))
    expect(found.bpm).toBeCloseTo(bpm, 0)
    expect(found.downbeats).toBeGreaterThan(0.9)
  },
)

const free = [
  { metre: '4/4', style: 'funk', bpm: 128 },
  { metre: '3/4', style: 'waltz', bpm: 200 },
  { metre: '6/8', style: 'jig', bpm: 90 },
] as const

test.each(sample(free, 1))(
  'the beat of a piece with rubato is followed, and has a tempo: $metre $style at $bpm',
  (score) => {
    const found = judgeAnalysis(playPiece({ ...score, pace: 'rubato', seed: 101, seconds: 30 }))
    expect(found).toMatchObject({ metre: score.metre, isTempoExact: true })
    expect(found.beats).toBeGreaterThan(0.95)
  },
)

describe('measures of analyses', () => {
  const beats = Array.from({ length: 20 }, (_, i) => 5 + i / 2)

  test('an F-measure is 1 within 70 ms, 2/3 at double tempo, and does not count a beat twice', () => {
    expect(
      beatFMeasure(
        beats,
        beats.map((beat) => beat + 0.069),
      ),
    ).toBe(1)
    expect(
      beatFMeasure(
        beats,
        beats.flatMap((beat) => [beat, beat + 0.25]),
      ),
    ).toBeCloseTo(2 / 3)
    expect(
      beatFMeasure(
        beats,
        beats.flatMap((beat) => [beat, beat + 0.02]),
      ),
    ).toBeCloseTo(2 / 3)
    expect(
      beatFMeasure(
        beats,
        beats.map((beat) => beat + 0.08),
      ),
    ).toBe(0)
    expect(beatFMeasure(beats, [])).toBe(0)
  })

  test('the first five seconds do not count', () => {
    expect(beatFMeasure([1, 2, 3, ...beats], beats)).toBe(1)
  })

  test('boundaries, tempi and keys are rated by what is nearly right, too', () => {
    expect(boundaryFMeasure([0, 10, 20], [0, 10.4, 30], 0.5)).toBe(0.5)
    expect(tempoAccuracy(120, 60)).toEqual({ exact: false, octave: true })
    expect(tempoAccuracy(120, 123)).toEqual({ exact: true, octave: true })
    expect(tempoAccuracy(120, null)).toEqual({ exact: false, octave: false })
    expect(
      ['C major', 'G major', 'A minor', 'C minor', 'F# minor', null].map((key) => keyScore('C major', key)),
    ).toEqual([1, 0.5, 0.3, 0.2, 0, 0])
  })
})
