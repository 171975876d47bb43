import { expect, test } from 'vitest'
import { type Pictured, tilesIn } from './tiles.ts'

const segment = (key: string, seconds: number): Pictured => ({
  key,
  seconds,
  pictureUrl: ({ start, end, width }) => `${key} ${start}-${end} ${width}`,
})
const segments = [segment('a', 6), segment('b', 2)]

test('the whole is a picture per segment', () => {
  expect(tilesIn(segments, { from: 0, to: 8 }, 1_000)).toEqual([
    { key: 'a', url: 'a 0-6 768', left: 0, wide: 0.75 },
    { key: 'b', url: 'b 0-2 256', left: 0.75, wide: 0.25 },
  ])
})

test('a window has the stretches that it shows', () => {
  expect(tilesIn(segments, { from: 5, to: 7 }, 1_000)).toEqual([
    { key: 'a', url: 'a 5-6 512', left: 0, wide: 0.5 },
    { key: 'b', url: 'b 0-1 512', left: 0.5, wide: 0.5 },
  ])
  expect(tilesIn(segments, { from: 6, to: 8 }, 1_000).map(({ key }) => key)).toEqual(['b'])
  expect(tilesIn(segments, { from: 1.23456, to: 2.00001 }, 4_000)).toEqual([
    { key: 'a', url: 'a 1.235-2 2048', left: 0, wide: 1 },
  ])
})

test('without a window or segments there is nothing', () => {
  expect(tilesIn(segments, { from: 0, to: 0 }, 1_000)).toEqual([])
  expect(tilesIn([], { from: 0, to: 8 }, 1_000)).toEqual([])
})
