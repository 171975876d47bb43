import { expect, test } from 'vitest'
import { decodeAll, wavOf } from '../../test/audio-files.ts'
import { bytesInMemory } from './byte-source.ts'
import { createOverview } from './overview.ts'
import { peaksOf } from './peaks.ts'
import { encodeSamples, openStoredAudio } from './stored-audio.ts'
import { wavHeader, wavLength, wavRange } from './wav-write.ts'

const ramp = (frames: number, channels: number) =>
  Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length: frames }, (_v, i) => ((i * 7919 * (channel + 1)) % 65_536) / 32_768 - 1),
  )

test('16 and 24-bit samples are stored losslessly', async () => {
  const block = ramp(5_000, 2)
  const stored = openStoredAudio(bytesInMemory(encodeSamples(block)), { sampleRate: 44_100, channels: 2 })
  expect(await stored.read(0, 5_000)).toEqual(block)
  expect((await stored.read(4_990, 100))[0]).toHaveLength(10)
  expect(await stored.read(123, 7)).toEqual(block.map((channel) => channel.slice(123, 130)))
})

test('samples beyond full scale are clipped, not wrapped', async () => {
  const stored = openStoredAudio(bytesInMemory(encodeSamples([Float32Array.of(1.5, -1.5, 1)])), {
    sampleRate: 8_000,
    channels: 1,
  })
  const [samples] = await stored.read(0, 3)
  expect([...(samples ?? [])].map((value) => value.toFixed(4))).toEqual(['1.0000', '-1.0000', '1.0000'])
})

test.each([
  [1_001, 1],
  [1_000, 2],
])('any range of the WAV file of %d frames equals that part of the whole', async (frames, channels) => {
  const block = ramp(frames, channels)
  const whole = await wavOf(block, 44_100)
  const shape = { sampleRate: 44_100, channels, frames }
  expect(whole).toHaveLength(wavLength(shape, frames))
  const samples = encodeSamples(block)
  async function* read({ start, end }: { start: number; end: number }) {
    yield samples.subarray(start, end)
  }
  const length = whole.length
  for (const [start, end] of [
    [0, length],
    [0, 1],
    [43, 45],
    [44, 100],
    [10, 20],
    [length - 1, length],
    [100, length - 1],
    [0, 44],
  ] as const) {
    const parts: Uint8Array[] = []
    for await (const part of wavRange(shape, read, { start, end })) parts.push(part)
    expect(Buffer.concat(parts)).toEqual(Buffer.from(whole.subarray(start, end)))
  }
  expect((await decodeAll(whole)).block).toEqual(block)
})

test('a file beyond 4 GiB has an RF64 header', () => {
  const header = wavHeader({ sampleRate: 192_000, channels: 2 }, 1_000_000_000)
  expect(Buffer.from(header.subarray(0, 4)).toString()).toBe('RF64')
  expect(new DataView(header.buffer).getBigUint64(28, true)).toBe(6_000_000_000n)
})

test('an outline has the requested number of points, from the overview or from the samples', async () => {
  const block = ramp(100_000, 2)
  const overview = createOverview()
  for (let at = 0; at < 100_000; at += 999) overview.push(block.map((channel) => channel.subarray(at, at + 999)))
  const bytes = overview.finish()
  const stored = openStoredAudio(bytesInMemory(encodeSamples(block)), { sampleRate: 44_100, channels: 2 })
  const [coarse, exact] = [await peaksOf(stored, bytes, 10), await peaksOf(stored, undefined, 10)]
  expect(coarse.min).toHaveLength(10)
  for (let i = 0; i < 10; i++) {
    expect(coarse.min[i]).toBeCloseTo(exact.min[i] ?? 0, 2)
    expect(coarse.max[i]).toBeCloseTo(exact.max[i] ?? 0, 2)
  }
  expect((await peaksOf(stored, bytes, 20_000)).max).toHaveLength(20_000)
  const short = openStoredAudio(bytesInMemory(encodeSamples([Float32Array.of(0.5, -0.25)])), {
    sampleRate: 8_000,
    channels: 1,
  })
  expect(await peaksOf(short, undefined, 4)).toEqual({ min: [0.5, 0.5, -0.25, -0.25], max: [0.5, 0.5, -0.25, -0.25] })
})
