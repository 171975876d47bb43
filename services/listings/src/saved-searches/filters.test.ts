import { Adapter, MustIncludeMode } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { expect, test } from 'vitest'
import { parseFilters, searchRequestOf } from './filters.ts'

const requestOf = (filters: unknown) => searchRequestOf({ query: 'camera', filters_json: JSON.stringify(filters) })

test('a saved search becomes the request with the same parameters', () => {
  expect(
    requestOf({
      max_price: 600,
      min_price: '20.5',
      pages: 3,
      must_include: '16gb|24gb, rtx',
      must_include_mode: 'groups',
      must_exclude: ['broken', 'parts'],
      category_id: '9355',
      adapter: 'scraper',
    }),
  ).toMatchObject({
    q: 'camera',
    maxPrice: 600,
    minPrice: 20.5,
    pages: 3,
    mustInclude: '16gb|24gb, rtx',
    mustIncludeMode: MustIncludeMode.GROUPS,
    mustExclude: 'broken,parts',
    categoryId: '9355',
    adapter: Adapter.SCRAPER,
  })
})

test('missing filters have the defaults of a search, and those of a page are ignored', () => {
  expect(requestOf({ sort: 'trust', hide: ['auctions'], max_price: null, adapter: '' })).toMatchObject({
    pages: 1,
    mustInclude: '',
    mustIncludeMode: MustIncludeMode.ALL,
    adapter: Adapter.AUTO,
  })
})

test.each([
  [{ max_price: 'cheap' }, 'max_price'],
  [{ min_price: {} }, 'min_price'],
  [{ must_include: 5 }, 'must_include'],
  [{ must_exclude: 'x'.repeat(4001) }, 'must_exclude'],
  [{ must_include_mode: 'some' }, 'must_include_mode'],
  [{ adapter: 'toString' }, 'adapter'],
  [{ must_exclude: 'a\0' }, 'must_exclude'],
  [{ must_include: 'a|b|c|d|e|f|g|h|i', must_include_mode: 'groups' }, 'must_include'],
])('an unusable filter is named: %j', (filters, name) => {
  expect(() => requestOf(filters)).toThrow(`The filter "${name}"`)
})

test.each(['', '[]', 'null', '"x"', '5', '{', '{"a":}'])('%j is not the JSON text of an object', (text) => {
  expect(parseFilters(text)).toBeUndefined()
})
