import { sample } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { playTune, type TuneStyle, tuneStyles } from '../../test/tempo-tunes.ts'
import { analyse } from './analyse.ts'

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
