import { expect, test } from 'vitest'
import { playPlain } from '../../test/plain-pieces.ts'
import { listen } from './analyse.ts'
import { networkReach } from './beat-network.ts'
import { beatOddsOf } from './beat-odds.ts'
import { frameRate } from './spectral-frames.ts'

const { samples, beats, downbeats } = playPlain({ metre: '3/4', style: 'drums', bpm: 100, seconds: 40, seed: 3 })
const measured = listen(samples)
const odds = beatOddsOf(measured)

test('beats and downbeats are likely where they are, and unlikely elsewhere', () => {
  const highest = (values: Float32Array, time: number) => {
    const frame = Math.round(time * frameRate)
    return Math.max(...values.subarray(Math.max(0, frame - 2), frame + 3))
  }
  const isIn = (time: number, times: readonly number[]) => times.some((other) => Math.abs(other - time) < 0.01)
  for (const time of beats) {
    expect(highest(odds.beat, time)).toBeGreaterThan(0)
    expect(highest(odds.downbeat, time) > -1).toBe(isIn(time, downbeats))
    expect(highest(odds.beat, time + 0.15)).toBeLessThan(-2)
  }
})

test('odds do not depend on how many frames are computed at once', () => {
  expect(measured.spectral.frames).toBeGreaterThan(3 * networkReach)
  for (const framesAtOnce of [700, 1_500]) expect(beatOddsOf(measured, framesAtOnce)).toEqual(odds)
})

test('a piece shorter than the reach of the network has odds, as has one of a single frame', () => {
  for (const length of [1, 20_000]) {
    const short = beatOddsOf(listen(samples.subarray(0, length)))
    expect(short.beat.every(Number.isFinite)).toBe(true)
    expect(short.beat.length).toBe(Math.max(1, Math.ceil(length / 256)))
  }
})
