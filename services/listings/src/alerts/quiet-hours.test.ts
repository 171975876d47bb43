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

test('after the night in which clocks change, the end that was computed is checked again', () => {
  // Clocks go forward at 01:00Z: the night is an hour shorter, so the computed end is an hour late.
  const until = quietUntil(new Date('2026-03-28T22:00:00Z'), night('Europe/Berlin'))
  expect(until?.toISOString()).toBe('2026-03-29T06:00:00.000Z')
  expect(quietUntil(until ?? new Date(0), night('Europe/Berlin'))).toBeUndefined()
  // Clocks go back: it is an hour early, and the rest follows.
  const early = quietUntil(new Date('2026-10-24T22:00:00Z'), night('Europe/Berlin'))
  expect(early?.toISOString()).toBe('2026-10-25T05:00:00.000Z')
  expect(quietUntil(early ?? new Date(0), night('Europe/Berlin'))?.toISOString()).toBe('2026-10-25T06:00:00.000Z')
})

test('only time zones that the runtime knows are accepted', () => {
  expect([isTimeZone('Europe/Berlin'), isTimeZone('UTC'), isTimeZone('Mars/Base')]).toEqual([true, true, false])
})
