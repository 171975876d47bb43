import { expect, test } from 'vitest'
import { correction, covers } from './covers.ts'
import { amountOf } from './quantity.ts'

test.each([
  ['what the server fills in beside it', { a: 1, b: 2 }, { a: 1 }, true],
  ['a value that somebody changed', { a: 2 }, { a: 1 }, false],
  ['a value that somebody took away', {}, { a: 1 }, false],
  ['what is empty, where there is nothing', {}, { a: [], b: {}, c: undefined }, true],
  ['a number that the server writes as text', { cpu: '2' }, { cpu: 2 }, true],
  [
    'named things in another order, with more of them',
    [{ name: 'y' }, { name: 'x', v: 1 }],
    [{ name: 'x', v: 1 }],
    true,
  ],
  ['a named thing that is missing', [{ name: 'y' }], [{ name: 'x' }], false],
  ['a list of other things that is as it was applied', ['a', 'b'], ['a', 'b'], true],
  ['a list that was added to', ['a', 'b'], ['a'], false],
  ['something in the place of an object', { a: 'x' }, { a: { b: 1 } }, false],
])('%s: %j covers %j is %s', (_, actual, desired, expected) => {
  expect(covers(actual, desired)).toBe(expected)
})

test.each([
  ['1Gi', 1_073_741_824],
  ['500m', 0.5],
  ['2', 2],
  [3, 3],
  ['1.5k', 1_500],
  ['1e3', 1_000],
  ['10E', 1e19],
])('the quantity %s is %d', (quantity, amount) => {
  expect(amountOf(quantity)).toBe(amount)
})

test('what is no quantity is no number', () => {
  expect([amountOf('much'), amountOf('1Xi'), amountOf('')]).toEqual([Number.NaN, Number.NaN, Number.NaN])
})

test.each<[string, unknown, object, unknown]>([
  ['what is as it should be', { a: '1' }, { a: '1' }, undefined],
  ['what was put into a map', { a: '1', b: '2' }, { a: '1' }, { a: '1', b: null }],
  ['what was put into a list', [{ name: 'x', v: 1 }, { name: 'y' }], [{ name: 'x' }], [{ name: 'x' }]],
  ['what is missing', undefined, { a: '1' }, { a: '1' }],
])('%s is corrected', (_, actual, desired, expected) => {
  expect(correction(actual, desired)).toEqual(expected)
})
