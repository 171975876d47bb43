import { sample } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { playTune, type TuneStyle, tuneStyles } from '../../test/tempo-tunes.ts'
import { analyse } from './analyse.ts'
import { analysisRate } from './spectral-frames.ts'

const isNear = (bpm: number | null, requested: number) => Math.abs((bpm ?? 0) / requested - 1) < 0.03

const detectedTempo = (style: TuneStyle, bpm: number, beatsPerBar: 3 | 4) =>
  analyse(playTune({ bpm, beatsPerBar, style, seconds: 16, seed: 11 })).bpm

const meters = [3, 4] as const
const accompanied = tuneStyles.filter((style) => style !== 'solo' && style !== 'sparse')
const tunes = meters.flatMap((beatsPerBar) => accompanied.map((style) => ({ style, beatsPerBar })))

test.each(sample(tunes, 1))(
  'the tempo of a tune is found from 80 to 174 bpm: $style, $beatsPerBar beats to a bar',
  ({ style, beatsPerBar }) => {
    const tempi = [80, 96, 120, 144, 160, 174]
    const wrong = tempi.filter((bpm) => !isNear(detectedTempo(style, bpm, beatsPerBar), bpm))
    expect(wrong.length).toBeLessThanOrEqual(1)
  },
)

test.each(sample(tunes, 2))(
  'a tune of 60 bpm is detected at its tempo or at twice that: $style, $beatsPerBar beats to a bar',
  ({ style, beatsPerBar }) => {
    const bpm = detectedTempo(style, 60, beatsPerBar)
    expect(isNear(bpm, 60) || isNear(bpm, 120)).toBe(true)
  },
)

const ambiguous = meters.flatMap((beatsPerBar) => [
  { style: 'sparse' as const, min: 4, beatsPerBar },
  { style: 'solo' as const, min: 2, beatsPerBar },
])
test.each(sample(ambiguous, 1))(
  'ambiguous tunes are mostly detected at their tempo, else at another grouping of the notes: $style, $beatsPerBar beats to a bar',
  ({ style, min, beatsPerBar }) => {
    const tempi = [72, 90, 108, 120, 144, 168]
    const ratios = tempi.map((bpm) => (detectedTempo(style, bpm, beatsPerBar) ?? 0) / bpm)
    expect(ratios.filter((ratio) => isNear(ratio, 1)).length).toBeGreaterThanOrEqual(min)
    for (const ratio of ratios)
      expect([1 / 3, 1 / 2, 2 / 3, 1, 4 / 3, 2].some((other) => isNear(ratio, other))).toBe(true)
  },
)

const metronome = (bpm: number, isAccented: boolean): Float32Array => {
  const samples = new Float32Array(20 * analysisRate)
  const clickLength = 0.03 * analysisRate
  for (let beat = 0; ; beat++) {
    const start = Math.round((0.3 + (beat * 60) / bpm) * analysisRate)
    if (start + clickLength > samples.length) return samples
    const [hertz, gain] = isAccented && beat % 4 === 0 ? [1500, 0.7] : [1000, 0.4]
    for (let i = 0; i < clickLength; i++)
      samples[start + i] =
        gain * Math.exp((-170 * i) / analysisRate) * Math.sin((2 * Math.PI * hertz * i) / analysisRate)
  }
}

/** At the first ones the beats have the same place between frames after few beats, so that equal clicks seem louder and softer in turn. */
const metronomes = [113, 130, 143, 156, 159, ...Array.from({ length: 141 }, (_, i) => 60 + i)]
test.each([...metronomes.slice(0, 5), ...sample(metronomes, 5)])('the tempo of a metronome is found: %d', (bpm) => {
  for (const isAccented of [false, true]) expect(analyse(metronome(bpm, isAccented)).bpm).toBeCloseTo(bpm, 0)
})
