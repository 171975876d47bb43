import { expect, test } from 'vitest'
import { opinionsOf } from './photo-analysis.ts'

test('an analysis is formatted as sentences, with the confidence of the model', () => {
  const json = JSON.stringify({
    is_stock_photo: true,
    visible_damage: false,
    authenticity_signal: 'stock_photo',
    confidence: 'high',
  })
  expect(opinionsOf(json)).toEqual({
    opinions: [
      { sentence: 'It is a product picture: it does not show the item that is sold.', isDoubtful: true },
      { sentence: 'No damage is visible.', isDoubtful: false },
    ],
    confidence: 'high',
  })
})

test('an answer of the model that could not be read has no opinions, and a missing one is none', () => {
  const unreadable = { opinions: [], confidence: undefined }
  expect(opinionsOf(JSON.stringify({ raw_response: 'hm', parse_error: true }))).toEqual(unreadable)
  expect(opinionsOf('{')).toEqual(unreadable)
  expect(opinionsOf(null)).toBe(undefined)
})
