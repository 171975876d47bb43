import { expect, test } from 'vitest'
import { columnOf, gapsIn, showing, zoomedAround } from './waves.ts'

const wave = { key: 'a', seconds: 4, min: [-0.1, -0.9, -0.2, 0], max: [0.5, 0.2, 0.8, 0] }

test('a column covers the lowest and highest sample of its share, and silence is a line', () => {
  expect(columnOf(wave, 0, 0.5)).toEqual({ low: -0.9, high: 0.5 })
  expect(columnOf(wave, 0.5, 0.6)).toEqual({ low: -0.2, high: 0.8 })
  expect(columnOf(wave, 0.75, 1)).toEqual({ low: -0.004, high: 0.004 })
})

test('waves that are not loaded are gaps of the window, and those that follow one another are one gap', () => {
  const missing = { ...wave, min: [], max: [] }
  const whole = { from: 0, to: 16 }
  expect(gapsIn([wave, wave], { from: 0, to: 8 })).toEqual([])
  expect(gapsIn([missing, missing, wave, missing], whole)).toEqual([
    { left: 0, wide: 0.5 },
    { left: 0.75, wide: 0.25 },
  ])
  expect(gapsIn([wave, missing, wave, missing], { from: 2, to: 10 })).toEqual([{ left: 0.25, wide: 0.5 }])
  expect(gapsIn([], { from: 0, to: 0 })).toEqual([])
})

test('zooming retains the time under the pointer, within the whole', () => {
  expect(zoomedAround(60, 1, 30)).toEqual({ from: 0, to: 60 })
  expect(zoomedAround(60, 4, 30, 0.2)).toEqual({ from: 27, to: 42 })
  expect(zoomedAround(60, 4, 59, 0.5)).toEqual({ from: 45, to: 60 })
  expect(zoomedAround(60, 4, 0, 0.5)).toEqual({ from: 0, to: 15 })
})

test('a position that leaves the window takes the window along', () => {
  expect(showing({ from: 0, to: 15 }, 60, 10)).toEqual({ from: 0, to: 15 })
  expect(showing({ from: 0, to: 15 }, 60, 20)).toEqual({ from: 19.25, to: 34.25 })
  expect(showing({ from: 30, to: 45 }, 60, 20)).toEqual({ from: 5.75, to: 20.75 })
})
