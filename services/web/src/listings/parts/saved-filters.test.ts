import { expect, test } from 'vitest'
import { filtersJson } from '../search/filters.ts'
import { searchPath, wordsOf } from './saved-filters.ts'

const query = {
  q: 'x',
  min: 5,
  max: null,
  pages: null,
  must: 'a|b',
  mode: 'groups',
  not: '',
  cat: '',
  via: 'auto',
} as const

test('a saved search stores what was chosen, and leads back to the same search', () => {
  const json = filtersJson(query)
  expect(JSON.parse(json)).toEqual({ min_price: 5, must_include: 'a|b', must_include_mode: 'groups' })
  expect(searchPath('x', json)).toBe('/listings?q=x&min=5&must=a%7Cb&mode=groups')
})

test.each(['', '{', '[]', '{"unknown": 1, "min_price": {}}'])(
  'filters %j lead to the search for the text alone',
  (json) => {
    expect(searchPath('x', json)).toBe('/listings?q=x')
  },
)

test('filters are described in words', () => {
  expect(wordsOf('{"max_price": 200, "must_exclude": "broken", "unknown": 1}')).toEqual([
    'highest price 200',
    'must not include broken',
  ])
})
