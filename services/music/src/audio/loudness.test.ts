import { randomFrom, runSeed } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { createLoudnessMeter, kWeighting } from './loudness.ts'
import { resample } from './resample.ts'
import { createTruePeakMeter, oversampling } from './true-peak.ts'

const RATE = 48_000

/** A stereo sine of 1 kHz in stretches of [level in dBFS, seconds], like the test signals of EBU Tech 3341. */
const stretches = (parts: readonly (readonly [level: number, seconds: number])[], sampleRate = RATE, channels = 2) => {
  const meter = createLoudnessMeter({ sampleRate, channels })
  for (const [level, seconds] of parts) {
    const amplitude = 10 ** (level / 20)
    const samples = Float32Array.from(
      { length: Math.round(seconds * sampleRate) },
      (_, i) => amplitude * Math.sin((2 * Math.PI * 1000 * i) / sampleRate),
    )
    meter.push(Array.from({ length: channels }, () => samples))
  }
  return meter
}

const integrated = (...stretched: Parameters<typeof stretches>) => stretches(...stretched).integrated()

describe('loudness', () => {
  test('is weighted with the coefficients of BS.1770-4 at 48 kHz', () => {
    const [shelf, pass] = kWeighting(RATE)
    expect(shelf.b.map((value) => value.toFixed(8))).toEqual(['1.53512486', '-2.69169619', '1.19839281'])
    expect(shelf.a.map((value) => value.toFixed(8))).toEqual(['-1.69065929', '0.73248077'])
    expect(pass.a.map((value) => value.toFixed(8))).toEqual(['-1.99004745', '0.99007225'])
  })

  test.each<[string, [number, number][], number]>([
    ['1: a steady tone', [[-23, 20]], -23],
    ['2: a softer one', [[-33, 20]], -33],
    [
      '3: soft ends are gated',
      [
        [-36, 10],
        [-23, 60],
        [-36, 10],
      ],
      -23,
    ],
    [
      '4: silence is gated, too',
      [
        [-72, 10],
        [-36, 10],
        [-23, 60],
        [-36, 10],
        [-72, 10],
      ],
      -23,
    ],
    [
      '5: levels near the gate count',
      [
        [-26, 20],
        [-20, 20.1],
        [-26, 20],
      ],
      -23,
    ],
  ])('meets EBU Tech 3341, case %s, within 0.1 LU', (_, parts, expected) => {
    expect(Math.abs((integrated(parts) ?? 0) - expected)).toBeLessThanOrEqual(0.1)
  })

  test.each([8_000, 11_025, 22_050, 44_100, 96_000, 192_000])('is the same at %d Hz', (sampleRate) => {
    expect(Math.abs((integrated([[-23, 5]], sampleRate) ?? 0) + 23)).toBeLessThanOrEqual(0.15)
  })

  test('of one channel is 3 LU below that of two', () => {
    expect(integrated([[-20, 5]], RATE, 1)).toBeCloseTo(-23, 1)
  })

  test('of silence, and of less than 400 ms, is unknown', () => {
    expect(integrated([[-200, 3]])).toBeNull()
    expect(integrated([[-20, 0.3]])).toBeNull()
  })

  test('does not depend on how the samples are split', () => {
    const samples = Float32Array.from({ length: RATE }, (_, i) => 0.3 * Math.sin(i * 0.05) * Math.sin(i * 0.0003))
    const [whole, pieces] = [
      createLoudnessMeter({ sampleRate: RATE, channels: 1 }),
      createLoudnessMeter({ sampleRate: RATE, channels: 1 }),
    ]
    whole.push([samples])
    for (let at = 0; at < samples.length; at += 777) pieces.push([samples.subarray(at, at + 777)])
    expect(pieces.integrated()).toBeCloseTo(whole.integrated() ?? 0, 9)
  })
})

describe('loudness range', () => {
  test.each<[string, (readonly [level: number, seconds: number])[], number]>([
    [
      '1',
      [
        [-20, 20],
        [-30, 20],
      ],
      10,
    ],
    [
      '2',
      [
        [-20, 20],
        [-15, 20],
      ],
      5,
    ],
    [
      '3',
      [
        [-40, 20],
        [-20, 20],
      ],
      20,
    ],
    [
      '4',
      [
        [-50, 20],
        [-35, 20],
        [-20, 20],
        [-35, 20],
        [-50, 20],
      ],
      15,
    ],
  ])('meets EBU Tech 3342, case %s, within 1 LU', (_, parts, expected) => {
    expect(Math.abs((stretches(parts).range() ?? 0) - expected)).toBeLessThanOrEqual(1)
  })

  test('of a steady tone is zero', () => {
    expect(stretches([[-20, 10]]).range()).toBeCloseTo(0, 3)
  })

  test('of silence, and below 3 s, is unknown', () => {
    expect(stretches([[-200, 5]]).range()).toBeNull()
    expect(stretches([[-20, 2.9]]).range()).toBeNull()
  })
})

describe('true peak', () => {
  test('finds peaks between the samples: a quarter-rate sine at 45 degrees', () => {
    const meter = createTruePeakMeter(RATE, 1)
    const rise = (i: number) => Math.min(1, i / 2000, (RATE - i) / 2000)
    meter.push([
      Float32Array.from({ length: RATE }, (_, i) => 0.5 * rise(i) * Math.sin((Math.PI / 2) * i + Math.PI / 4)),
    ])
    const decibels = 20 * Math.log10(meter.finish())
    expect(decibels).toBeGreaterThan(-6.4)
    expect(decibels).toBeLessThan(-5.8)
  })

  test.each([8_000, 44_100, 96_000, 192_000])(
    'at %d Hz is the highest of all oversampled levels, however long the blocks',
    (rate) => {
      const random = randomFrom(runSeed)
      const channels = [0.2, 0.9].map((level) =>
        // Loud and soft stretches, so that some of them need not be oversampled.
        Float32Array.from({ length: 5_000 }, (_, i) => level * (i % 1_000 < 50 ? 1 : 0.3) * (2 * random() - 1)),
      )
      const meter = createTruePeakMeter(rate, channels.length)
      for (let at = 0; at < 5_000; ) {
        const length = Math.floor(random() * 700)
        meter.push(channels.map((channel) => channel.subarray(at, at + length)))
        at += length
      }
      const levels = channels.flatMap((channel) => [...channel, ...resample(channel, rate, rate * oversampling(rate))])
      expect(meter.finish()).toBe(levels.reduce((highest, level) => Math.max(highest, Math.abs(level)), 0))
    },
  )
})
