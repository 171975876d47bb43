import { expect, test } from 'vitest'
import { isoOf, moved, scaled } from './spans.ts'

test('a window moves by a part of its length and is scaled around its middle', () => {
  const span = { since: 0, until: 10_000 }
  expect(moved(span, -0.5)).toEqual({ since: -5_000, until: 5_000 })
  expect(scaled(span, 0.5)).toEqual({ since: 2_500, until: 7_500 })
  expect(scaled({ since: 0, until: 100 }, 0.5)).toEqual({ since: -450, until: 550 })
})

test('a window of any length stays within the years that the server reads', () => {
  const { since, until } = scaled({ since: 0, until: 10_000 }, 1e12)
  expect([isoOf(since), isoOf(until)]).toEqual(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z'])
})
