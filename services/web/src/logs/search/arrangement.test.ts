import type { EntryRest } from '@trellis/protos/edge/client.ts'
import { expect, test } from 'vitest'
import type { FilterValues } from '../parts/filters.ts'
import { columnsOf, filterOf, keyOf, withColumn } from './arrangement.ts'

const entry = { severity: 'ERROR', source_id: 'web', message: 'disk full', text: 't', template_id: '7' } as EntryRest
const values = { severity: [] as readonly string[] } as FilterValues

test('columns in the address are those shown; none stands for all, and the text stays', () => {
  expect(columnsOf([])).toEqual(['time', 'severity', 'source', 'text'])
  expect(columnsOf(['source', 'colour'])).toEqual(['source', 'text'])
  expect(withColumn([], 'time', false)).toEqual(['severity', 'source', 'text'])
  expect(withColumn(['severity', 'source', 'text'], 'time', true)).toEqual([])
  expect(withColumn(['source', 'text'], 'source', false)).toEqual(['text'])
  expect(columnsOf(['text'])).toEqual(['text'])
})

test('lines are alike by text or template, of one source', () => {
  expect(keyOf.none).toBe(undefined)
  expect(keyOf.text?.(entry)).toBe('ERROR\nweb\ndisk full')
  expect(keyOf.template?.(entry)).toBe('web\n7')
  expect(keyOf.template?.({ ...entry, template_id: null })).toBe(null)
})

test('a cell of a line is a filter, or says why it is none', () => {
  expect(filterOf(entry, 'source', true, values)).toEqual({ filter: 'not_source', value: 'web' })
  expect(filterOf(entry, 'text', false, values)).toEqual({ filter: 'template', value: '7' })
  expect(filterOf(entry, 'severity', false, values)).toEqual({ filter: 'severity', value: 'ERROR' })
  expect(filterOf(entry, 'severity', true, values)).toEqual({ blocked: 'Severities can only be shown, not hidden.' })
  expect(filterOf(entry, 'severity', true, { ...values, severity: ['ERROR'] })).toEqual({
    filter: 'severity',
    value: 'ERROR',
  })
  expect(filterOf(entry, 'time', false, values)).toEqual({ blocked: 'Choose a time range instead.' })
  expect(filterOf(undefined, 'source', false, values)).toEqual({ blocked: 'Select a line first.' })
})
