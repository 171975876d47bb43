import { expect, test } from 'vitest'
import { isTimeZone, quietUntil } from './quiet-hours.ts'

const night = (timeZone: string) => ({ start: '22:00', end: '07:00', timeZone })

test.each([
  ['before they start', '2026-03-01T20:59:00Z', undefined],
  ['at their start', '2026-03-01T21:00:00Z', '2026-03-02T06:00:00.000Z'],
  ['before midnight', '2026-03-01T22:30:00Z', '2026-03-02T06:00:00.000Z'],
  ['after midnight', '2026-03-02T01:00:30Z', '2026-03-02T06:00:00.000Z'],
  ['at their end', '2026-03-02T06:00:00Z', undefined],
])('quiet hours over midnight, %s', (_when, now, until) => {
  expect(quietUntil(new Date(now), night('Europe/Berlin'))?.toISOString()).toBe(until)
})

test.each([
  ['before', '2026-03-01T11:59:59Z', undefined],
  ['within', '2026-03-01T12:20:00Z', '2026-03-01T13:00:00.000Z'],
  ['after', '2026-03-01T13:00:00Z', undefined],
])('quiet hours within a day, %s', (_when, now, until) => {
  const quiet = { start: '12:00', end: '13:00', timeZone: 'UTC' }
  expect(quietUntil(new Date(now), quiet)?.toISOString()).toBe(until)
})

test('zones with an offset of half an hour count', () => {
  const until = quietUntil(new Date('2026-03-01T17:00:00Z'), night('Asia/Kolkata'))
  expect(until?.toISOString()).toBe('2026-03-02T01:30:00.000Z')
})

test.each([
  ['forward', '22:00', '07:00', 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
  ['back', '22:00', '07:00', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T06:00:00.000Z'],
  [
    'forward by half an hour',
    '22:00',
    '07:00',
    'Australia/Lord_Howe',
    '2026-10-03T12:00:00Z',
    '2026-10-03T20:00:00.000Z',
  ],
  ['back over a date', '22:00', '07:00', 'America/New_York', '2026-11-01T03:00:00Z', '2026-11-01T12:00:00.000Z'],
])(
  'in the night in which clocks go %s, they end by the clock on the wall',
  (_way, start, end, timeZone, now, until) => {
    expect(quietUntil(new Date(now), { start, end, timeZone })?.toISOString()).toBe(until)
  },
)

test('an end that the clocks skip is over within an hour', () => {
  const quiet = { start: '22:00', end: '02:30', timeZone: 'Europe/Berlin' }
  const until = quietUntil(new Date('2026-03-28T22:00:00Z'), quiet)
  expect(until?.toISOString()).toBe('2026-03-29T01:30:00.000Z')
  expect(quietUntil(new Date('2026-03-29T01:00:00Z'), quiet)).toBeUndefined()
})

test('only time zones that the runtime knows are accepted', () => {
  expect([isTimeZone('Europe/Berlin'), isTimeZone('UTC'), isTimeZone('Mars/Base')]).toEqual([true, true, false])
})
