import { expect, test } from 'vitest'
import { entryLine, harmless } from './entry-line.ts'
import { momentOf } from './moments.ts'

const entry = {
  timestamp_iso: '2026-03-01T09:15:02.000Z',
  ingest_time: '2026-03-01T09:15:03.500Z',
  severity: 'ERROR',
  source_id: 'shop',
  message: 'refused',
  text: '2026-03-01T09:15:02Z ERROR refused',
}

test('an entry has its time, severity, source and message, and without a time that of its arrival', () => {
  expect(entryLine(entry)).toBe(' 2026-03-01T09:15:02.000Z  ERROR     shop  refused')
  expect(entryLine({ ...entry, timestamp_iso: null, severity: null, message: '' })).toBe(
    '~2026-03-01T09:15:03.500Z            shop  2026-03-01T09:15:02Z ERROR refused',
  )
  expect(entryLine({ ...entry, message: 'trace\n at a\r\n at b\n' })).toMatch(/shop {2}trace\n {5}at a\n {5}at b$/)
})

test('nothing of a log is obeyed by a terminal', () => {
  expect(harmless('a\u001b[2Jb\u0007\u009b1m\u202e\ttab')).toBe('a\\x1b[2Jb\\x07\\x9b1m\\u202e\ttab')
  expect(harmless('new\rold')).toBe('new\nold')
})

test.each([
  ['2h', '2026-03-01T07:15:02.000Z'],
  ['-30m', '2026-03-01T08:45:02.000Z'],
  ['1w', '2026-02-22T09:15:02.000Z'],
  ['2026-01-01', '2026-01-01'],
  [undefined, undefined],
])('%s is the time %s', (text, expected) => {
  expect(momentOf('since', text, Date.parse('2026-03-01T09:15:02Z'))).toBe(expected)
})

test('a length of time beyond all times is refused', () => {
  expect(() => momentOf('since', '999999999w', Date.now())).toThrow(/--since is longer ago/)
})
