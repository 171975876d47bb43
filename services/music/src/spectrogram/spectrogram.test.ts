import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { audioInMemory } from '../audio/audio-path.ts'
import { grayscalePng } from './png.ts'
import { spectrogramPixels } from './spectrogram.ts'

const RATE = 16_000
const never = new AbortController().signal
const sine = (hertz: number, seconds: number): Float32Array =>
  Float32Array.from({ length: seconds * RATE }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / RATE))

const column = (pixels: Uint8Array, width: number, at: number): number[] =>
  Array.from(pixels).filter((_, index) => index % width === at)

const mel = (hertz: number) => 2595 * Math.log10(1 + hertz / 700)

test('a tone is white in the row of its frequency, and silence is black', async () => {
  const audio = audioInMemory([Float32Array.from([...sine(1_000, 2), ...new Float32Array(2 * RATE)])], RATE)
  const [width, height] = [20, 64]
  const pixels = await spectrogramPixels(audio, { start: 0, end: 4 * RATE, width, height }, never)
  const tone = column(pixels, width, 5)
  const row = Math.floor(height * (1 - (mel(1_000) - mel(20)) / (mel(RATE / 2) - mel(20))))
  expect(Math.abs(tone.indexOf(Math.max(...tone)) - row)).toBeLessThanOrEqual(1)
  expect(Math.max(...tone)).toBeGreaterThan(245)
  expect(tone[0]).toBeLessThan(60)
  expect(column(pixels, width, 15)).toEqual(Array(height).fill(0))
})

test('a stretch shows only that stretch', async () => {
  const audio = audioInMemory([Float32Array.from([...sine(200, 1), ...sine(5_000, 1)])], RATE)
  const tile = { start: RATE + 2_048, end: 2 * RATE, width: 4, height: 32 }
  const pixels = await spectrogramPixels(audio, tile, never)
  const first = column(pixels, 4, 0)
  expect(first.indexOf(Math.max(...first))).toBeLessThan(10)
})

test.each([
  ['close', 800, 4],
  ['far apart', 5, 20],
])(
  'windows that are %s are read in few steps, and show the same as columns by themselves',
  async (_, width, maxSteps) => {
    const seconds = 20
    const sweep = Float32Array.from({ length: seconds * RATE }, (_, i) => Math.sin((i / RATE) ** 2 * 400))
    const audio = audioInMemory([sweep], RATE)
    let [reads, open, most] = [0, 0, 0]
    const counted = {
      ...audio,
      read: async (start: number, count: number) => {
        reads += 1
        open += 1
        most = Math.max(most, open)
        await Promise.resolve()
        open -= 1
        return audio.read(start, count)
      },
    }
    const height = 16
    const pixels = await spectrogramPixels(counted, { start: 0, end: seconds * RATE, width, height }, never)
    expect(reads / most).toBeLessThanOrEqual(maxSteps)
    const frames = (seconds * RATE) / width
    for (const at of [0, Math.floor(width / 2), width - 1]) {
      const tile = { start: at * frames, end: (at + 1) * frames, width: 1, height }
      expect([...(await spectrogramPixels(audio, tile, never))]).toEqual(column(pixels, width, at))
    }
  },
)

test('a picture is a valid PNG of its size', () => {
  const png = Buffer.from(grayscalePng(Uint8Array.of(0, 50, 100, 150, 200, 250), 3, 2))
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  expect([png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]]).toEqual([3, 2, 8, 0])
  const length = png.readUInt32BE(33)
  expect([...inflateSync(png.subarray(41, 41 + length))]).toEqual([0, 0, 50, 100, 0, 150, 200, 250])
})
