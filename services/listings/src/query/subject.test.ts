import { Adapter, MustIncludeMode } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { expect, test } from 'vitest'
import { request } from '../../test/searches.ts'
import { requestOf, subjectOf } from './subject.ts'

test('a request survives the conversion to a Search and back', () => {
  const requested = request({
    q: 'camera',
    mustInclude: '16gb|24gb,rtx',
    mustIncludeMode: MustIncludeMode.GROUPS,
    mustExclude: 'broken,for parts',
    minPrice: 10,
    maxPrice: 20.5,
    categoryId: '31388',
    adapter: Adapter.SCRAPER,
    pages: 3,
  })
  expect(requestOf(subjectOf(requested))).toEqual(requested)
})

test('a price limit of 0 is none, and contradictory limits are not shown', () => {
  expect(subjectOf(request({ minPrice: 0, maxPrice: 5 }))).toMatchObject({ minPrice: undefined, maxPrice: 5 })
  const nothing = subjectOf(request({ minPrice: 6, maxPrice: 5 }))
  expect([nothing.minPrice, nothing.maxPrice]).toEqual([undefined, undefined])
})

test('values that exceed the limits of a Search are truncated at character boundaries', () => {
  const cut = subjectOf(
    request({
      q: '\u{1f4f7}'.repeat(600),
      mustInclude: Array.from({ length: 300 }, (_, index) => `term ${index} ${'x'.repeat(120)}`).join(','),
      categoryId: '9'.repeat(41),
      pages: 5_000,
    }),
  )
  expect(cut.query).toBe('\u{1f4f7}'.repeat(500))
  expect([cut.mustInclude.length, Math.max(...cut.mustInclude.map(({ length }) => length))]).toEqual([200, 100])
  expect([cut.categoryId, cut.pages]).toEqual([undefined, 999])
})

test('a group is shown with as many complete alternatives as fit', () => {
  const [long, other] = ['a'.repeat(60), 'b'.repeat(60)]
  const mustIncludeMode = MustIncludeMode.GROUPS
  expect(subjectOf(request({ mustInclude: `${long}|${other}|short`, mustIncludeMode })).mustInclude).toEqual([
    `${long}|short`,
  ])
})
