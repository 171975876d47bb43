import { isFailure } from '@trellis/kit/errors'
import { expect, test } from 'vitest'
import { readFilters } from './read-request.ts'

test('severities are asked for by their names, parted by commas, and those entries that have none as none', () => {
  expect(readFilters({ severity: 'ERROR,critical' })).toEqual({ severities: ['ERROR', 'CRITICAL'] })
  expect(readFilters({ severity: 'none' })).toEqual({ severities: [null] })
  expect(readFilters({ severity: 'none, WARN' })).toEqual({ severities: [null, 'WARN'] })
})

test('what is no severity is refused with those that there are', () => {
  const refusal = (() => {
    try {
      return readFilters({ severity: 'LOUD' })
    } catch (error) {
      return error
    }
  })()
  expect(isFailure(refusal, 'invalid')).toBe(true)
  expect(String(refusal)).toContain('CRITICAL, ERROR, WARN or none')
})
