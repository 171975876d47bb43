import { expect, test } from 'vitest'
import { type FilterValues, filterShape } from '../parts/filters.ts'
import { ignoredByTemplates, templateParametersOf } from './template-filters.ts'

const unfiltered = Object.fromEntries(
  Object.entries(filterShape).map(([name, { fallback }]) => [name, fallback]),
) as FilterValues

test('templates are those of all chosen sources and domains, and what does not apply to them is named', () => {
  const values = {
    ...unfiltered,
    source: ['web', 'db'],
    domain: ['auth', 'storage'],
    tenant: 'shop',
    not_source: ['nas'],
  }
  expect(templateParametersOf(values)).toMatchObject({ source: 'web,db', domain: 'auth,storage', tenant: 'shop' })
  expect(ignoredByTemplates(values)).toEqual(['hidden sources'])
  expect(ignoredByTemplates(unfiltered)).toEqual([])
})
