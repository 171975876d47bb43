import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createByteWriter } from './byte-writer.ts'
import { decodeDeltas } from './delta-column.ts'
import { bytesOfColumn, columnOf, extentOf, numberAt, packNumbers } from './number-column.ts'
import { encodeDeltas } from './write-columns.ts'

/** Steps between numbers up to this size have exact zigzag values. */
const max = 2 ** 50

/** A run of numbers whose distances fit into `bits` bits. */
const anyStretch = fc
  .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 200 }), fc.maxSafeInteger(), fc.maxSafeInteger())
  .map(([bits, length, from, seed]) =>
    Array.from({ length }, (_, index) => (from % max) + ((Math.abs(seed) * (index + 1)) % 2 ** bits)),
  )
const anyNumbers = fc.array(anyStretch, { maxLength: 8 }).map((stretches) => stretches.flat())

test('a column returns its numbers unchanged, whatever the distances between them', () => {
  fc.assert(
    fc.property(anyNumbers, (numbers) => {
      const input = Float64Array.from(numbers)
      const written = encodeDeltas(input, input.length, createByteWriter())
      for (const column of [packNumbers(input, input.length), decodeDeltas(written, input.length), columnOf(input)]) {
        expect(numbers.map((_, index) => numberAt(column, index))).toEqual(numbers)
        expect(extentOf(column, numbers.length)).toEqual({
          first: numbers.reduce((min, number) => Math.min(min, number), Number.POSITIVE_INFINITY),
          last: numbers.reduce((greatest, number) => Math.max(greatest, number), Number.NEGATIVE_INFINITY),
        })
      }
    }),
    propertyRuns(),
  )
})

test('a column of equal numbers takes hardly any memory, and one of close numbers a byte each', () => {
  const documents = 128 * 1024
  const alike = packNumbers(new Float64Array(documents).fill(1_700_000_000_000), documents)
  const neighbours = packNumbers(
    Float64Array.from({ length: documents }, (_, index) => 1e12 + index),
    documents,
  )
  expect(bytesOfColumn(alike)).toBeLessThan(documents / 8)
  expect(bytesOfColumn(neighbours)).toBeLessThan(documents * 1.2)
})
