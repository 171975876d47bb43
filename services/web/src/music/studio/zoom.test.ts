import { expect, test } from 'vitest'
import { maxZoom, pointsAt, zoomedBy } from './zoom.ts'

test('zoom doubles and halves, from the whole to its largest', () => {
  expect([zoomedBy(1, 1), zoomedBy(4, -1), zoomedBy(1, -1), zoomedBy(maxZoom, 1)]).toEqual([2, 2, 1, maxZoom])
  expect(zoomedBy(1, 99)).toBe(maxZoom)
})

test('a larger waveform is drawn from more peaks, within what the service answers', () => {
  expect([1, 2, 8, maxZoom].map(pointsAt)).toEqual([1_200, 4_800, 10_000, 10_000])
})
