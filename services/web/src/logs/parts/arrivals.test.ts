import { expect, test } from 'vitest'
import { countArrivals } from './arrivals.ts'

test('the history that a stream begins with does not count as lines that arrive', () => {
  const arrivals = countArrivals()
  for (let line = 0; line < 200; line += 1) arrivals.add()
  expect(arrivals.take()).toBe(0)
  arrivals.shown()
  expect(arrivals.take()).toBe(0)
  arrivals.add()
  arrivals.shown()
  arrivals.add()
  expect([arrivals.take(), arrivals.take()]).toEqual([2, 0])
})
