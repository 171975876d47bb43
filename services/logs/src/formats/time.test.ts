import { describe, expect, test } from 'vitest'
import { atInstant, createTimeReader, readEpoch, type TimeLayout } from './time.ts'
import { utc, zoneOf } from './zone.ts'

const reference = Date.UTC(2024, 2, 10)
const read = (layout: TimeLayout, text: string, zone = utc) => {
  const time = createTimeReader(layout, { zone, reference })(text)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

describe('times', () => {
  test.each([
    ['iso', '2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
    ['iso', '2024-02-29 23:59:59,1', '2024-02-29T23:59:59.100Z'],
    ['iso', '2024-02-29T23:59:59.123456789+05:30', '2024-02-29T18:29:59.123Z'],
    ['iso', '2024-02-30T00:00:00Z', null],
    ['iso', '2024-13-01T00:00:00Z', null],
    ['iso', '2005-06-03-15.42.50.675872', '2005-06-03T15:42:50.675Z'],
    ['syslog', 'Oct 11 2023 22:14:15', '2023-10-11T22:14:15.000Z'],
    ['syslog', 'May 01, 2023 1:20:30 PM', '2023-05-01T13:20:30.000Z'],
    ['clf', '01 Mar 10:20:30.123', '2024-03-01T10:20:30.123Z'],
    ['clf', '01/Mar/2024:00:00:31 -0700', '2024-03-01T07:00:31.000Z'],
    ['asctime', 'Wed Mar 06 09:19:24.428126 2024', '2024-03-06T09:19:24.428Z'],
    ['americanYear', '08/02/2023, 12:00:00 AM', '2023-08-02T00:00:00.000Z'],
    ['compact', '081109 203615', '2008-11-09T20:36:15.000Z'],
    ['dotted', '13.02.2024 20:36:15,25', '2024-02-13T20:36:15.250Z'],
    ['numericDate', '13/02/24 20:36:15', '2024-02-13T20:36:15.000Z'],
    ['numericDate', '02-13-2024 20:36:15', '2024-02-13T20:36:15.000Z'],
    ['numericDate', '02/03/2024 20:36:15', null],
    ['monthFirstDate', '02/03/2024 8:36:15 PM', '2024-02-03T20:36:15.000Z'],
    ['cisco', '2023 Aug 27 21:40:50 PDT', '2023-08-28T04:40:50.000Z'],
    ['cisco', 'Jan 16 2022 22:11:43.398 METDST', '2022-01-16T20:11:43.398Z'],
    ['iso', '2024-03-01 10:20:30 UTC+2', '2024-03-01T08:20:30.000Z'],
    ['iso', '2024-03-01 10:20:30 GMT-03:30', '2024-03-01T13:50:30.000Z'],
    ['iso', '2024-03-01T10:20:30-08', '2024-03-01T18:20:30.000Z'],
    ['iso', '2024-03-01 10:20:30 PKT', '2024-03-01T05:20:30.000Z'],
    ['syslog', 'янв 05 10:20:30', '2024-01-05T10:20:30.000Z'],
    ['syslog', 'февр. 05 10:20:30', '2024-02-05T10:20:30.000Z'],
    ['syslog', 'Paź 05 10:20:30', '2023-10-05T10:20:30.000Z'],
    ['syslog', '2月  5 10:20:30', '2024-02-05T10:20:30.000Z'],
    ['syslog', '12월 05 10:20:30', '2023-12-05T10:20:30.000Z'],
    ['syslog', '13월 05 10:20:30', null],
    ['clf', '5. Februar 2024 10:20:30', '2024-02-05T10:20:30.000Z'],
    ['clf', '01-Mar-2024 10:20:30 America/New_York', '2024-03-01T15:20:30.000Z'],
    ['clf', '01-Mar-2024 10:20:30 Nowhere/Land', '2024-03-01T10:20:30.000Z'],
    ['db2', '2024-03-01-10.20.30.123456-300', '2024-03-01T15:20:30.123Z'],
    ['db2', '2024-03-01-10.20.30.123456', '2024-03-01T10:20:30.123Z'],
    ['syslog', 'Mar  1 2024 10:20:30-08:00', '2024-03-01T18:20:30.000Z'],
    ['hexEpoch', '65e1ab2e.0ee6b280', '2024-03-01T10:17:18.250Z'],
    ['numericMoment', '03-01 10:20:30', '2024-03-01T10:20:30.000Z'],
    ['numericMoment', '14/02/2024 10:20:30', '2024-02-14T10:20:30.000Z'],
    ['moment', '1709288430250', '2024-03-01T10:20:30.250Z'],
    ['moment', '2024-03-01T10:20:30+02:00', '2024-03-01T08:20:30.000Z'],
    ['moment', 'Mar 01 2024 10:20:30.250 CET', '2024-03-01T09:20:30.250Z'],
    ['tai64n', '@40000000433225833b6e1a8c', '2005-09-22T03:31:05.997Z'],
  ] as const)('%s: %s', (layout, text, expected) => {
    expect(read(layout, text)).toBe(expected)
  })

  test('without a year it is the latest that is not in the future', () => {
    expect(read('syslog', 'Mar  9 10:00:00')).toBe('2024-03-09T10:00:00.000Z')
    expect(read('syslog', 'Dec 31 10:00:00')).toBe('2023-12-31T10:00:00.000Z')
    expect(read('syslog', 'Feb 29 10:00:00')).toBe('2024-02-29T10:00:00.000Z')
  })

  test('with a first year, a file goes on to the next when the months start anew', () => {
    const reader = createTimeReader('syslog', { zone: utc, reference, firstYear: 2019 })
    expect(new Date(reader('Dec 31 23:59:59')).getUTCFullYear()).toBe(2019)
    expect(new Date(reader('Jan  1 00:00:00')).getUTCFullYear()).toBe(2020)
  })

  test('epochs are told by their size', () => {
    expect(['1717634687', '1717634687123', '1717634687123456', '1717634687123456768'].map(readEpoch)).toEqual([
      1717634687000, 1717634687123, 1717634687123, 1717634687123,
    ])
    // The nearest number to it is less.
    expect(readEpoch('1714558830250000000')).toBe(1714558830250)
    expect(readEpoch('12345')).toBeNaN()
    expect(['1717634687.123', '1717634687.678901', '1717634687.9996'].map(readEpoch)).toEqual([
      1717634687123, 1717634687678, 1717634687999,
    ])
  })

  test("a moment that stands beside what a local clock showed counts, with the clock's fraction", () => {
    const instant = Date.UTC(2024, 2, 1, 22, 42, 50)
    expect(atInstant(Date.UTC(2024, 2, 1, 15, 42, 50, 675), instant)).toBe(instant + 675)
    expect(atInstant(instant + 3_600_000, instant)).toBe(instant)
    expect(atInstant(instant + 400_000, instant)).toBe(instant)
    expect(atInstant(Number.NaN, instant)).toBe(instant)
    expect(atInstant(instant, Number.NaN)).toBe(instant)
  })

  test('a time without a zone is in the zone that was told, summer and winter', () => {
    const berlin = zoneOf('Europe/Berlin')
    if (!berlin) throw new Error('This Node has no time zones.')
    expect(read('iso', '2024-07-01 12:00:00', berlin)).toBe('2024-07-01T10:00:00.000Z')
    expect(read('iso', '2024-01-01 12:00:00', berlin)).toBe('2024-01-01T11:00:00.000Z')
    expect(zoneOf('Nowhere/Land')).toBeUndefined()
  })

  test('on the night that clocks go forward and on the one they go back, both sides are right', () => {
    const newYork = zoneOf('America/New_York')
    if (!newYork) throw new Error('This Node has no time zones.')
    expect(read('iso', '2024-03-10 01:59:59', newYork)).toBe('2024-03-10T06:59:59.000Z')
    expect(read('iso', '2024-03-10 03:00:00', newYork)).toBe('2024-03-10T07:00:00.000Z')
    expect(read('iso', '2024-11-03 00:30:00', newYork)).toBe('2024-11-03T04:30:00.000Z')
    expect(read('iso', '2024-11-03 03:30:00', newYork)).toBe('2024-11-03T08:30:00.000Z')
  })
})
