import { expect, test } from 'vitest'
import { utc, zoneOf } from '../formats/zone.ts'
import { timePhraseOf } from './time-phrases.ts'

/** A Wednesday. */
const now = Date.parse('2026-03-04T10:00:00Z')
const read = (text: string, zone = utc) => {
  const found = timePhraseOf(text, now, zone)
  return found && [new Date(found.start).toISOString().slice(0, 16), new Date(found.end).toISOString().slice(0, 16)]
}

test.each([
  ['why did it stop yesterday around 3pm?', '2026-03-03T14:30', '2026-03-03T15:30'],
  ['errors in the last 2 hours', '2026-03-04T08:00', '2026-03-04T10:00'],
  ['the past week was bad', '2026-02-25T10:00', '2026-03-04T10:00'],
  ['it broke 30 minutes ago', '2026-03-04T09:29', '2026-03-04T09:30'],
  ['between 9 and 11 yesterday', '2026-03-03T09:00', '2026-03-03T11:00'],
  ['from 10pm to 2am yesterday', '2026-03-03T22:00', '2026-03-04T02:00'],
  ['around 9:30 it hung', '2026-03-04T09:00', '2026-03-04T10:00'],
  ['at 11pm it hung', '2026-03-03T22:30', '2026-03-03T23:30'],
  ['this morning', '2026-03-04T05:00', '2026-03-04T12:00'],
  ['last night', '2026-03-03T20:00', '2026-03-04T06:00'],
  ['what failed today', '2026-03-04T00:00', '2026-03-04T10:00'],
  ['on 2026-02-28 at 12:00', '2026-02-28T11:30', '2026-02-28T12:30'],
  ['since 8am', '2026-03-04T08:00', '2026-03-04T10:00'],
])('%s', (text, start, end) => {
  expect(read(text)).toEqual([start, end])
})

test('the clock is that of the zone told', () => {
  const tokyo = zoneOf('Asia/Tokyo')
  if (!tokyo) throw new Error('This Node has no time zones.')
  expect(read('yesterday around 3pm', tokyo)).toEqual(['2026-03-03T05:30', '2026-03-03T06:30'])
})

test.each(['disk is full', 'error 500 at line 12345', 'port 8080 refused', 'the lasting issue'])(
  '%s names no time',
  (text) => {
    expect(read(text)).toBeUndefined()
  },
)
