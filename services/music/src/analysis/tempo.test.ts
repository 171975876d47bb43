import { describe, expect, test } from 'vitest'
import { playTune, TUNE_STYLES, type TuneStyle } from '../../test/tempo-tunes.ts'
import { analyse } from './analyse.ts'

const isNear = (bpm: number | null, wanted: number) => Math.abs((bpm ?? 0) / wanted - 1) < 0.03

const heard = (style: TuneStyle, bpm: number, beatsPerBar: 3 | 4) =>
  analyse(playTune({ bpm, beatsPerBar, style, seconds: 16, seed: 11 })).bpm

describe.each([3, 4] as const)('of tunes with %d beats to a bar the tempo', (beatsPerBar) => {
  const accompanied = TUNE_STYLES.filter((style) => style !== 'solo' && style !== 'sparse')

  test.each(accompanied)('is heard from 80 to 174 bpm: %s', (style) => {
    const tempi = [80, 96, 120, 144, 160, 174]
    const wrong = tempi.filter((bpm) => !isNear(heard(style, bpm, beatsPerBar), bpm))
    expect(wrong.length).toBeLessThanOrEqual(1)
  })

  test.each(accompanied)('is heard at 60 bpm, or its double where its halves sound, too: %s', (style) => {
    const bpm = heard(style, 60, beatsPerBar)
    expect(isNear(bpm, 60) || isNear(bpm, 120)).toBe(true)
  })

  test.each([
    ['sparse', 4],
    ['solo', 2],
  ] as const)('is heard mostly, and else as another grouping of the same notes: %s', (style, least) => {
    const tempi = [72, 90, 108, 120, 144, 168]
    const ratios = tempi.map((bpm) => (heard(style, bpm, beatsPerBar) ?? 0) / bpm)
    expect(ratios.filter((ratio) => isNear(ratio, 1)).length).toBeGreaterThanOrEqual(least)
    for (const ratio of ratios)
      expect([1 / 3, 1 / 2, 2 / 3, 1, 4 / 3, 2].some((other) => isNear(ratio, other))).toBe(true)
  })
})
