import { expect, test } from 'vitest'
import { encodeSamples, openStoredAudio } from '../audio/stored-audio.ts'
import { createExactStems } from './exact-stems.ts'

const encodeAll = async (mixture: number[], estimates: [number[], number[], number[]]) => {
  const bytes = encodeSamples([Float32Array.from(mixture)])
  const source = { size: bytes.length, read: async (at: number, count: number) => bytes.subarray(at, at + count) }
  const exact = createExactStems(openStoredAudio(source, { sampleRate: 8_000, channels: 1 }))
  async function* one() {
    const [vocals, drums, bass] = estimates
    const block = (values: number[]) => [Float32Array.from(values)]
    yield { start: 0, stems: [block(vocals), block(drums), block(bass)] as const }
  }
  const parts: (readonly Uint8Array[])[] = []
  for await (const part of exact.encoded(one())) parts.push(part)
  const rows = (parts[0] ?? []).map((part) =>
    Array.from({ length: part.length / 3 }, (_, i) => Buffer.from(part).readIntLE(3 * i, 3)),
  )
  return { rows, shares: exact.energyShares() }
}

test('estimates are rounded to 24 bits, and other is what remains', async () => {
  const { rows, shares } = await encodeAll(
    [0.5, -0.25],
    [
      [0.25, 0],
      [0.125, 0],
      [0, -0.25],
    ],
  )
  expect(rows).toEqual([
    [2_097_152, 0],
    [1_048_576, 0],
    [0, -2_097_152],
    [1_048_576, 0],
  ])
  expect(shares.map((share) => Math.round(share * 100))).toEqual([40, 10, 40, 10])
})

test('a rest beyond full scale is divided among the other stems, so that all are in range and the sum is exact', async () => {
  const { rows } = await encodeAll(
    [0.99, -1, 0],
    [
      [-0.9, 0.9, -1],
      [-0.8, 0.8, -1],
      [0.1, 0.1, -1],
    ],
  )
  for (const row of rows)
    for (const value of row) {
      expect(value).toBeGreaterThanOrEqual(-8_388_608)
      expect(value).toBeLessThanOrEqual(8_388_607)
    }
  const sums = [0, 1, 2].map((i) => rows.reduce((sum, row) => sum + (row[i] ?? 0), 0))
  expect(sums).toEqual([Math.round(Math.fround(0.99) * 8_388_608), -8_388_608, 0])
})
