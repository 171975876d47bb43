import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { utc, type Zone, zoneOf } from '../formats/zone.ts'
import { keywordsOf } from './keywords.ts'
import { timePhraseOf } from './time-phrases.ts'

/** A Wednesday. */
const now = Date.parse('2026-03-04T10:00:00Z')
const read = (text: string, zone = utc, at = now) => {
  const found = timePhraseOf(text, at, zone)
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
  ['wifi drops every night', '2026-02-25T10:00', '2026-03-04T10:00'],
  ['it hangs every other evening around 9pm', '2026-02-25T10:00', '2026-03-04T10:00'],
  ['each night between 2 and 3 it stops', '2026-02-25T10:00', '2026-03-04T10:00'],
  ['the backup fails every monday', '2026-02-04T10:00', '2026-03-04T10:00'],
  ['every morning for the last month', '2026-02-02T10:00', '2026-03-04T10:00'],
  ['since 8am', '2026-03-04T08:00', '2026-03-04T10:00'],
])('%s', (text, start, end) => {
  expect(read(text)).toEqual([start, end])
})

test('times of day are in the requested zone', () => {
  const tokyo = zoneOf('Asia/Tokyo')
  if (!tokyo) throw new Error('This Node has no time zones.')
  expect(read('yesterday around 3pm', tokyo)).toEqual(['2026-03-03T05:30', '2026-03-03T06:30'])
})

test.each([
  ['it broke on 2026-10-25 at 02:30', '2026-10-25T00:00', '2026-10-25T02:00'],
  ['between 2am and 2:30am on 2026-10-25', '2026-10-25T00:00', '2026-10-25T01:30'],
  ['it broke on 2026-10-25 at 01:30', '2026-10-24T23:00', '2026-10-25T00:00'],
  ['it broke on 2026-10-25 at 03:30', '2026-10-25T02:00', '2026-10-25T03:00'],
])('a time that a clock showed twice includes both: %s', (text, start, end) => {
  const berlin = zoneOf('Europe/Berlin')
  expect(berlin && read(text, berlin, Date.parse('2026-11-27T12:00:00Z'))).toEqual([start, end])
})

test.each(['disk is full', 'error 500 at line 12345', 'port 8080 refused', 'the lasting issue'])(
  '%s contains no time',
  (text) => {
    expect(read(text)).toBeUndefined()
  },
)

const berlin = (): Zone => {
  const zone = zoneOf('Europe/Berlin')
  if (!zone) throw new Error('This Node has no time zones.')
  return zone
}

describe('on a Sunday at 14:11', () => {
  const sunday = Date.parse('2025-12-14T14:11:00Z')
  const readings: [string, string, string][] = [
    ['since yesterday', '2025-12-13T00:00', '2025-12-14T14:11'],
    ['since yesterday at 8am', '2025-12-13T08:00', '2025-12-14T14:11'],
    ['since 3 hours ago', '2025-12-14T11:11', '2025-12-14T14:11'],
    ['since monday', '2025-12-08T00:00', '2025-12-14T14:11'],
    ['since last friday', '2025-12-12T00:00', '2025-12-14T14:11'],
    ['since 2025-12-10T07:00:00Z', '2025-12-10T07:00', '2025-12-14T14:11'],
    ['since 2025-12-10T07:00:00.123+01:00', '2025-12-10T06:00', '2025-12-14T14:11'],
    ['since noon', '2025-12-14T12:00', '2025-12-14T14:11'],
    ['since two days', '2025-12-12T14:11', '2025-12-14T14:11'],
    ['after 9pm yesterday', '2025-12-13T21:00', '2025-12-14T14:11'],
    ['before 9am', '2025-12-14T07:00', '2025-12-14T09:00'],
    ['until 10am', '2025-12-14T00:00', '2025-12-14T10:00'],
    ['until midnight', '2025-12-13T00:00', '2025-12-14T00:00'],
    ['from 2025-12-10 to 2025-12-11', '2025-12-10T00:00', '2025-12-12T00:00'],
    ['between 2025-12-10 07:00 and 2025-12-10 08:00', '2025-12-10T07:00', '2025-12-10T08:00'],
    ['from 2025-12-10T07:00:00Z to 2025-12-10T08:30:00Z', '2025-12-10T07:00', '2025-12-10T08:30'],
    ['from 9am until now', '2025-12-14T09:00', '2025-12-14T14:11'],
    ['from friday to saturday', '2025-12-12T00:00', '2025-12-14T00:00'],
    ['from friday to monday', '2025-12-05T00:00', '2025-12-09T00:00'],
    ['between 9 and 11pm', '2025-12-13T21:00', '2025-12-13T23:00'],
    ['from 10pm to 2am', '2025-12-13T22:00', '2025-12-14T02:00'],
    ['10:00-12:00 yesterday', '2025-12-13T10:00', '2025-12-13T12:00'],
    ['between 3 hours ago and 1 hour ago', '2025-12-14T11:11', '2025-12-14T13:11'],
    ['half an hour ago', '2025-12-14T13:26', '2025-12-14T13:56'],
    ['an hour and a half ago', '2025-12-14T12:11', '2025-12-14T13:11'],
    ['two days ago', '2025-12-12T02:11', '2025-12-13T02:11'],
    ['3 days ago at 9pm', '2025-12-11T20:30', '2025-12-11T21:30'],
    ['at 7.30pm', '2025-12-13T19:00', '2025-12-13T20:00'],
    ['at 15:00 UTC', '2025-12-13T14:30', '2025-12-13T15:30'],
    ['monday at 9', '2025-12-08T08:30', '2025-12-08T09:30'],
    ['sunday at 8pm', '2025-12-07T19:30', '2025-12-07T20:30'],
    ['at 9pm last night', '2025-12-13T20:30', '2025-12-13T21:30'],
    ['at 2am last night', '2025-12-14T01:30', '2025-12-14T02:30'],
    ['at 7 in the evening', '2025-12-13T18:30', '2025-12-13T19:30'],
    ['last night around 11', '2025-12-13T22:30', '2025-12-13T23:30'],
    ['yesterday afternoon', '2025-12-13T12:00', '2025-12-13T18:00'],
    ['between 9 and 11 this morning', '2025-12-14T09:00', '2025-12-14T11:00'],
    ['Last Friday', '2025-12-12T00:00', '2025-12-13T00:00'],
    ['last sunday', '2025-12-07T00:00', '2025-12-08T00:00'],
    ['monday night', '2025-12-08T20:00', '2025-12-09T06:00'],
    ['this week', '2025-12-08T00:00', '2025-12-14T14:11'],
    ['last weekend', '2025-12-06T00:00', '2025-12-08T00:00'],
    ['over the weekend', '2025-12-13T00:00', '2025-12-14T14:11'],
    ['last month', '2025-11-14T14:11', '2025-12-14T14:11'],
    ['in the last 90 seconds', '2025-12-14T14:09', '2025-12-14T14:11'],
    ['in the last 15m', '2025-12-14T13:56', '2025-12-14T14:11'],
    ['in the last half hour', '2025-12-14T13:41', '2025-12-14T14:11'],
    ['overnight', '2025-12-13T20:00', '2025-12-14T06:00'],
    ['on december 10 2025', '2025-12-10T00:00', '2025-12-11T00:00'],
    ['on the 10th of December', '2025-12-10T00:00', '2025-12-11T00:00'],
    ['Dec 10', '2025-12-10T00:00', '2025-12-11T00:00'],
    ['Dec 24', '2024-12-24T00:00', '2024-12-25T00:00'],
    ['Dec 10 07:00:12', '2025-12-10T06:30', '2025-12-10T07:30'],
    ['yesterday, 7pm', '2025-12-13T18:30', '2025-12-13T19:30'],
    ['the day before yesterday', '2025-12-12T00:00', '2025-12-13T00:00'],
  ]

  test.each(readings)('"%s" is read', (phrase, start, end) => {
    expect(read(`nginx broken ${phrase}`, utc, sunday)).toEqual([start, end])
    expect(read(`${phrase} nginx was broken`, utc, sunday)).toEqual([start, end])
  })

  test('the words of a time are not keywords, wherever they are', () => {
    const symptoms = fc.constantFrom('nginx broken', 'postgres refused a connection', 'disk full on nas')
    fc.assert(
      fc.property(fc.constantFrom(...readings), symptoms, fc.boolean(), ([phrase], symptom, isFirst) => {
        const text = isFirst ? `${phrase} ${symptom}` : `${symptom} ${phrase}`
        expect(keywordsOf(timePhraseOf(text, sunday, utc)?.rest ?? text)).toEqual(keywordsOf(symptom))
      }),
      propertyRuns(),
    )
  })

  test('a day and its time of day may be separated', () => {
    const text = 'yesterday nginx broke at 3pm'
    expect(read(text, utc, sunday)).toEqual(['2025-12-13T14:30', '2025-12-13T15:30'])
    expect(keywordsOf(timePhraseOf(text, sunday, utc)?.rest ?? '')).toEqual(['nginx', 'broke'])
  })

  test.each([
    'stuck at 20%',
    'node 5 may fail',
    'after 3 attempts',
    'refused at 10.0.0.1',
    'fails by 5 users',
    'on 2025-02-31',
    'at 25:00',
    'the monthly report',
  ])('"%s" contains no time', (text) => {
    expect(read(text, utc, sunday)).toBeUndefined()
  })

  test('days and hours are in the requested zone, also when its clocks change', () => {
    expect(read('since yesterday', berlin(), sunday)).toEqual(['2025-12-12T23:00', '2025-12-14T14:11'])
    expect(read('monday at 9', berlin(), sunday)).toEqual(['2025-12-08T07:30', '2025-12-08T08:30'])
    expect(read('since 2025-12-10T07:00:00Z', berlin(), sunday)).toEqual(['2025-12-10T07:00', '2025-12-14T14:11'])
    expect(read('on 2025-10-26', berlin(), sunday)).toEqual(['2025-10-25T22:00', '2025-10-26T23:00'])
  })
})

test('a weekday before a date of long ago is the last one before that date', () => {
  const later = Date.parse('2026-02-22T14:11:00Z')
  expect(read('from monday to 2025-12-10', utc, later)).toEqual(['2025-12-08T00:00', '2025-12-11T00:00'])
  expect(read('from wednesday to 2025-12-10', utc, later)).toEqual(['2025-12-10T00:00', '2025-12-11T00:00'])
})

test('any text is read without an error, and no time range ends before it begins', () => {
  const word = fc.constantFrom(
    ...[
      'since',
      'until',
      'between',
      'and',
      'from',
      'to',
      'at',
      'last',
      'monday',
      'yesterday',
      'night',
      '9',
      '25',
      '7.30pm',
    ],
    ...[
      'ago',
      'two',
      'days',
      'half',
      'an',
      'hour',
      '2025-12-10',
      '2025-02-31',
      'T07:00:00Z',
      'Dec',
      '-',
      'now',
      'weekend',
    ],
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (words) => {
      const found = timePhraseOf(words.join(' '), now, berlin())
      if (found) expect(found.end).toBeGreaterThanOrEqual(found.start)
    }),
    propertyRuns(),
  )
})
