import { expect, test } from 'vitest'
import { createRing } from './ring.ts'

test('a ring retains the newest items in order and counts the others', () => {
  const ring = createRing<number>(3)
  ring.push([1, 2])
  expect([ring.size, ring.at(0), ring.at(1), ring.at(2)]).toEqual([2, 1, 2, undefined])
  ring.push([3, 4, 5])
  expect([ring.size, ring.at(0), ring.at(2), ring.at(3), ring.at(-1)]).toEqual([3, 3, 5, undefined, undefined])
  expect([ring.total, ring.dropped]).toEqual([5, 2])
  ring.clear()
  expect([ring.size, ring.total, ring.at(0)]).toEqual([0, 0, undefined])
})

test('items are put between others, and the newest are retained', () => {
  const ring = createRing<number>(6)
  ring.push([1, 2, 5, 6])
  ring.insert(2, [3, 4])
  expect(Array.from({ length: ring.size }, (_, position) => ring.at(position))).toEqual([1, 2, 3, 4, 5, 6])
  ring.insert(4, [44])
  expect([ring.dropped, ring.at(0), ring.at(3), ring.at(5)]).toEqual([1, 2, 44, 6])
  // Numbers of what is gone stand for the oldest that is there.
  ring.insert(0, [0])
  expect([ring.size, ring.at(5)]).toEqual([6, 6])
})

test('of 100,000 items in a ring of 200,000 none is lost', () => {
  const ring = createRing<number>(200_000)
  for (let batch = 0; batch < 500; batch += 1) ring.push(Array.from({ length: 200 }, (_, index) => batch * 200 + index))
  expect([ring.size, ring.at(0), ring.at(99_999), ring.dropped]).toEqual([100_000, 0, 99_999, 0])
})
