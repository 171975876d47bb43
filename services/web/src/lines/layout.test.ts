import { expect, test } from 'vitest'
import { createLayout } from './layout.ts'

const keys = ['a', 'a', 'b', null, null, 'a', 'a', 'a']
const heights = [20, 20, 40, 20, 60, 20, 20, 20]
const lines = { keyOf: (number: number) => keys[number] ?? null, heightOf: (number: number) => heights[number] ?? 0 }
const rowsOf = (layout: ReturnType<typeof createLayout>) =>
  Array.from({ length: layout.size }, (_, row) => layout.at(row))

test('consecutive lines with one key are a row that counts them, also when they arrive later', () => {
  const layout = createLayout()
  layout.update({ ...lines, first: 0, next: 6 })
  layout.update({ ...lines, first: 0, next: 8 })
  expect(rowsOf(layout)).toEqual([
    { number: 0, count: 2 },
    { number: 2, count: 1 },
    { number: 3, count: 1 },
    { number: 4, count: 1 },
    { number: 5, count: 3 },
  ])
  expect([1, 2, 7].map(layout.rowWith)).toEqual([0, 1, 4])
})

test('rows have the heights of their lines, and are found by their distance from the top', () => {
  const layout = createLayout()
  layout.update({ ...lines, first: 0, next: 8 })
  expect([0, 1, 2, 3, 4].map(layout.topOf)).toEqual([0, 20, 60, 80, 140])
  expect(layout.height).toBe(160)
  expect([0, 19, 20, 59, 60, 139, 159, 999].map(layout.rowAt)).toEqual([0, 0, 1, 1, 2, 3, 4, 4])
})

test('rows whose lines are gone disappear, and a row that lost some of its lines counts the others', () => {
  const layout = createLayout()
  layout.update({ ...lines, first: 0, next: 8 })
  layout.update({ ...lines, first: 1, next: 8 })
  expect([layout.size, layout.at(0), layout.height]).toEqual([5, { number: 1, count: 1 }, 160])
  layout.update({ ...lines, first: 4, next: 8 })
  expect(rowsOf(layout)).toEqual([
    { number: 4, count: 1 },
    { number: 5, count: 3 },
  ])
  expect([layout.topOf(1), layout.height, layout.rowAt(70), layout.rowWith(6)]).toEqual([60, 80, 1, 1])
})

test('a list that drops what it appends remains small and right', () => {
  const layout = createLayout()
  const endless = { keyOf: () => null, heightOf: () => 20 }
  for (let next = 500; next <= 100_000; next += 500)
    layout.update({ ...endless, first: Math.max(0, next - 1_000), next })
  expect([layout.size, layout.at(0).number, layout.height, layout.rowWith(99_999)]).toEqual([
    1_000, 99_000, 20_000, 999,
  ])
})
