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

test('of 100,000 items in a ring of 200,000 none is lost', () => {
  const ring = createRing<number>(200_000)
  for (let batch = 0; batch < 500; batch += 1) ring.push(Array.from({ length: 200 }, (_, index) => batch * 200 + index))
  expect([ring.size, ring.at(0), ring.at(99_999), ring.dropped]).toEqual([100_000, 0, 99_999, 0])
})
