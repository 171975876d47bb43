import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bandsOf, distanceBetween, maxDistance, probesFor } from './hamming.ts'

const hash = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => value.toString(16).padStart(16, '0'))
const flips = (min: number, max: number) => fc.uniqueArray(fc.nat({ max: 63 }), { minLength: min, maxLength: max })
const flipped = (text: string, bits: readonly number[]): string =>
  bits
    .reduce((value, bit) => value ^ (1n << BigInt(bit)), BigInt(`0x${text}`))
    .toString(16)
    .padStart(16, '0')

const areProbed = (a: string, b: string): boolean => {
  const bands = bandsOf(b)
  return probesFor(a).some((values, band) => values.includes(bands[band] ?? -1))
}

test('the distance is the number of bits that differ', () => {
  fc.assert(
    fc.property(hash, flips(0, 64), (one, bits) => {
      expect(distanceBetween(one, flipped(one, bits))).toBe(bits.length)
    }),
  )
})

test('every hash within 8 bits has a band among the probes of the other', () => {
  fc.assert(
    fc.property(hash, flips(0, maxDistance), (one, bits) => {
      expect(areProbed(one, flipped(one, bits))).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('every distribution of 8 bits over the bands is probed', () => {
  const starts = [42, 21, 0]
  for (let first = 0; first <= maxDistance; first++)
    for (let second = 0; first + second <= maxDistance; second++) {
      const counts = [first, second, maxDistance - first - second]
      const bits = counts.flatMap((count, band) => Array.from({ length: count }, (_, bit) => (starts[band] ?? 0) + bit))
      expect(areProbed('0'.repeat(16), flipped('0'.repeat(16), bits))).toBe(true)
    }
})

test('nine bits over three bands are not probed: the radius is not larger than it must be', () => {
  const bits = [42, 43, 44, 21, 22, 23, 0, 1, 2]
  expect(areProbed('0'.repeat(16), flipped('0'.repeat(16), bits))).toBe(false)
})

test('a lookup takes 718 probes', () => {
  expect(probesFor('0123456789abcdef').flat()).toHaveLength(718)
})
