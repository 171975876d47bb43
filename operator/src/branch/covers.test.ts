import { expect, test } from 'vitest'
import { correction, covers } from './covers.ts'
import { amountOf } from './quantity.ts'

test.each([
  ['an additional server default', { a: 1, b: 2 }, { a: 1 }, true],
  ['a changed value', { a: 2 }, { a: 1 }, false],
  ['a removed value', {}, { a: 1 }, false],
  ['empty values that are absent', {}, { a: [], b: {}, c: undefined }, true],
  ['a number that the server returns as text', { cpu: '2' }, { cpu: 2 }, true],
  [
    'named items in another order, with further items',
    [{ name: 'y' }, { name: 'x', v: 1 }],
    [{ name: 'x', v: 1 }],
    true,
  ],
  ['a missing named item', [{ name: 'y' }], [{ name: 'x' }], false],
  ['an equal list of unnamed items', ['a', 'b'], ['a', 'b'], true],
  ['an extended list of unnamed items', ['a', 'b'], ['a'], false],
  ['an empty text that is absent', { name: 'x' }, { name: 'x', value: '' }, true],
  ['an empty text that is another', { name: 'x', value: 'y' }, { name: 'x', value: '' }, false],
  [
    'quantities that the server returns in other units',
    { limits: { cpu: '1', memory: '1Gi' }, emptyDir: { sizeLimit: '512Mi' } },
    { limits: { cpu: '1000m', memory: '1024Mi' }, emptyDir: { sizeLimit: 536870912 } },
    true,
  ],
  ['another quantity', { limits: { cpu: '1' } }, { limits: { cpu: '1001m' } }, false],
  ['a missing quantity', { limits: {} }, { limits: { cpu: '1' } }, false],
  ['quantities outside of resources, which are texts', { value: '1' }, { value: '1000m' }, false],
  ['a text instead of an object', { a: 'x' }, { a: { b: 1 } }, false],
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

test('an invalid quantity is NaN', () => {
  expect([amountOf('much'), amountOf('1Xi'), amountOf('')]).toEqual([Number.NaN, Number.NaN, Number.NaN])
})

test.each<[string, unknown, object, unknown]>([
  ['an equal value needs no patch', { a: '1' }, { a: '1' }, undefined],
  ['an added map entry', { a: '1', b: '2' }, { a: '1' }, { a: '1', b: null }],
  ['an added list item', [{ name: 'x', v: 1 }, { name: 'y' }], [{ name: 'x' }], [{ name: 'x' }]],
  ['a missing value', undefined, { a: '1' }, { a: '1' }],
])('correction of %s', (_, actual, desired, expected) => {
  expect(correction(actual, desired)).toEqual(expected)
})
