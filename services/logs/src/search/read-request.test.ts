import { isServiceError } from '@trellis/kit/errors'
import { expect, test } from 'vitest'
import { readFilters, readMoment, readWindow } from './read-request.ts'

test('severities are listed with commas, and none selects entries without one', () => {
  expect(readFilters({ severity: 'ERROR,critical' })).toEqual({ severities: ['ERROR', 'CRITICAL'] })
  expect(readFilters({ severity: 'none' })).toEqual({ severities: [null] })
  expect(readFilters({ severity: 'none, WARN' })).toEqual({ severities: [null, 'WARN'] })
})

test('an unknown severity is rejected with the list of severities', () => {
  const refusal = (() => {
    try {
      return readFilters({ severity: 'LOUD' })
    } catch (error) {
      return error
    }
  })()
  expect(isServiceError(refusal, 'invalid')).toBe(true)
  expect(String(refusal)).toContain('CRITICAL, ERROR, WARN or none')
})

test.each(['2026-02-30', '2026-02-30T00:00:00Z', '2026-02-29 10:00', '2026-04-31T01:00:00+02:00', '2026-13-01', 'now'])(
  '%s is rejected as a time, with the name of the field',
  (text) => {
    expect(() => readMoment('started_at', text, 'body')).toThrow(
      expect.objectContaining({ kind: 'invalid', detail: [expect.objectContaining({ loc: ['body', 'started_at'] })] }),
    )
  },
)

test('February 29 of a leap year is valid, and times with an offset are converted', () => {
  expect(readMoment('since', '2024-02-29')).toBe(Date.UTC(2024, 1, 29))
  expect(readMoment('since', '2024-03-01T00:30:00+01:00')).toBe(Date.UTC(2024, 1, 29, 23, 30))
})

test('a window that ends before it begins is rejected everywhere', () => {
  const window = { since: '2026-03-02', until: '2026-03-01' }
  for (const read of [() => readFilters(window), () => readWindow(window)])
    expect(read).toThrow(expect.objectContaining({ detail: [expect.objectContaining({ loc: ['query', 'since'] })] }))
  expect(readWindow({ since: '2026-03-01', until: null })).toEqual({ since: Date.UTC(2026, 2, 1) })
})
