import { expect, test } from 'vitest'
import { partsBetween, pieces } from './segments.ts'

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

test('a long part is fetched in pieces without a gap', () => {
  expect(pieces([{ url: '/a', from: 1, to: 10 }], 4)).toEqual([
    { url: '/a', from: 1, to: 5 },
    { url: '/a', from: 5, to: 9 },
    { url: '/a', from: 9, to: 10 },
  ])
})
