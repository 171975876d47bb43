import { expect, test } from 'vitest'
import { rowsOf } from './wrap.ts'

test('a text takes as many rows as its characters fill, and no more than ten', () => {
  expect([rowsOf('', 40), rowsOf('x'.repeat(40), 40), rowsOf('x'.repeat(41), 40)]).toEqual([1, 1, 2])
  expect([rowsOf('x'.repeat(9_999), 40), rowsOf('xx', 0)]).toEqual([10, 2])
})

test('wide characters take two columns', () => {
  expect(rowsOf('漢'.repeat(20), 40)).toBe(1)
  expect(rowsOf('漢'.repeat(21), 40)).toBe(2)
})
