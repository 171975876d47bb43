import { expect, test } from 'vitest'
import { type Box, formatBoxes, layoutChanges, parseBoxes } from './boxes.ts'

const heading: Box = { what: 'h1 Saved searches', x: 28, y: 100, width: 200, height: 25 }
const button: Box = { what: 'button Run 2 searches', x: -4, y: 140, width: 80, height: 34 }

test('boxes are read from the lines that they are written as', () => {
  expect(parseBoxes(formatBoxes([heading, button]))).toEqual([heading, button])
})

test('a layout is unchanged if its boxes differ by no more than the rounding of browsers', () => {
  expect(
    layoutChanges(
      [heading, button],
      [
        { ...heading, width: 202 },
        { ...button, y: 138 },
      ],
    ),
  ).toEqual([])
})

test('boxes that moved, grew, appeared, disappeared or changed places are listed', () => {
  expect(layoutChanges([heading, button], [heading, { ...button, y: 143 }])).toEqual([
    'moved: button Run 2 searches, from -4 140 80 34 to -4 143 80 34',
  ])
  expect(layoutChanges([heading], [{ ...heading, height: 50 }])).toHaveLength(1)
  expect(layoutChanges([heading, button], [heading])).toEqual(['gone: button Run 2 searches'])
  expect(layoutChanges([button], [button, button])).toEqual(['new: button Run 2 searches'])
  expect(layoutChanges([heading, button], [button, heading])).toEqual([
    'in another order: h1 Saved searches',
    'in another order: button Run 2 searches',
  ])
})
