import { expect, test } from 'vitest'
import { parseValue } from './codecs.ts'
import { absoluteAddress, moment, momentOf } from './moments.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

test.each([
  ['', undefined],
  ['-15m', '2026-03-01T11:45:00.000Z'],
  ['-7d', '2026-02-22T12:00:00.000Z'],
  ['2026-03-01T09:00:00Z', '2026-03-01T09:00:00.000Z'],
  ['yesterday-ish', undefined],
])('the bound "%s" is %s', (bound, expected) => expect(momentOf(bound, now)).toBe(expected))

test.each([
  ['-15m', '-15m', false],
  ['2026-03-01', '2026-03-01', false],
  ['all', 'all', false],
  ['', '-24h', false],
  ['yesterday-ish', '-24h', true],
])('the bound "%s" of an address is read as "%s", rejected: %s', (text, value, isRejected) =>
  expect(parseValue(moment('-24h', ['all']), text)).toEqual({ value, isRejected }),
)

test.each([
  [
    'http://x/logs?q=a&since=-1h',
    'http://x/logs?q=a&since=2026-03-01T11%3A00%3A00.000Z&until=2026-03-01T12%3A00%3A00.000Z',
  ],
  [
    'http://x/logs?since=-2h&until=-1h#e',
    'http://x/logs?since=2026-03-01T10%3A00%3A00.000Z&until=2026-03-01T11%3A00%3A00.000Z#e',
  ],
  ['http://x/logs?since=2026-03-01T09:00:00Z', 'http://x/logs?since=2026-03-01T09:00:00Z'],
  ['http://x/listings?q=since', 'http://x/listings?q=since'],
])('the address %s is shared as %s', (address, shared) => expect(absoluteAddress(address, now)).toBe(shared))
