import { expect, test } from 'vitest'
import { partsBetween, windowsOf } from './segments.ts'

const segments = [
  { key: 'a', url: '/a', seconds: 10 },
  { key: 'b', url: '/b', seconds: 4 },
]

test('a stretch across a seam has a part of each file', () => {
  expect(partsBetween(segments, 7, 13)).toEqual([
    { url: '/a', from: 7, to: 10 },
    { url: '/b', from: 0, to: 3 },
  ])
  expect(partsBetween(segments, 10, 99)).toEqual([{ url: '/b', from: 0, to: 4 }])
})

test('a long stretch is fetched in windows without a gap', () => {
  expect(windowsOf(1, 10, 4)).toEqual([
    { from: 1, to: 5 },
    { from: 5, to: 9 },
    { from: 9, to: 10 },
  ])
  expect(windowsOf(10, 10, 4)).toEqual([])
})
