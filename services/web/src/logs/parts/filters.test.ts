import { expect, test } from 'vitest'
import { type FilterValues, filterShape, noFilters, parametersOf, toggleFilter } from './filters.ts'

const unfiltered = Object.fromEntries(
  Object.entries(filterShape).map(([name, { fallback }]) => [name, fallback]),
) as FilterValues
const valuesOf = (chosen: Partial<FilterValues>): FilterValues => ({ ...unfiltered, ...chosen })

test('filters of the URL become parameters of a search', () => {
  const values = valuesOf({ q: ' disk ', source: ['web', 'db'], severity: ['ERROR'], not_template: ['t1'] })
  expect(parametersOf(values)).toMatchObject({
    q: 'disk',
    source: 'web,db',
    severity: 'ERROR',
    not_template: 't1',
    domain: undefined,
  })
})

test('including a value takes it out of the exclusion, and choosing it again removes it', () => {
  expect(toggleFilter(valuesOf({ not_source: ['web'] }), 'source', 'web')).toEqual({ source: ['web'], not_source: [] })
  expect(toggleFilter(valuesOf({ source: ['web', 'db'] }), 'source', 'web')).toEqual({ source: ['db'] })
})

test('clearing filters leaves the words and the window', () => {
  expect(Object.keys(noFilters)).not.toContain('q')
  expect(noFilters).toMatchObject({ source: [], branch: '' })
})
