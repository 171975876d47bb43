import { expect, test } from 'vitest'
import { parametersOf, type Query } from './filters.ts'

const query: Query = { q: 'x', min: null, max: null, pages: null, must: '', mode: 'all', not: '', cat: '', via: 'auto' }

test('only what was chosen is sent to the server', () => {
  expect(parametersOf(query)).toEqual({ q: 'x' })
  expect(parametersOf({ ...query, max: 5, must: 'a|b', mode: 'groups', via: 'api' })).toMatchObject({
    max_price: 5,
    must_include: 'a|b',
    must_include_mode: 'groups',
    adapter: 'api',
  })
})
