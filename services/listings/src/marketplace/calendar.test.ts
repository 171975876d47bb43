import { describe, expect, test } from 'vitest'
import { endOfAuction, hasTimeLeft, isoDate, readDate, readDuration } from './calendar.ts'

test.each([
  ['Sold  May 4, 2026', '2026-05-04'],
  ['Verkauft 4. Mai 2026', '2026-05-04'],
  ['Vendu le 14 août 2026', '2026-08-14'],
  ['Venduto 3 mag 2026', '2026-05-03'],
  ['Vendido el 4 de ene. de 2026', '2026-01-04'],
  ['Verkocht 21 mrt 2026', '2026-03-21'],
  ['Sprzedane 7 paź 2025', '2025-10-07'],
  ['2026年5月4日 に販売済み', '2026-05-04'],
  ['04.05.2026', '2026-05-04'],
  ['2026-05-04', '2026-05-04'],
  ['Sold 04/25/2026', '2026-04-25'],
  ['Sold 04/05/2026', undefined],
  ['Prodáno 4. února 2026', '2026-02-04'],
  ['ขายแล้ว 12 พ.ย. 2569', '2026-11-12'],
  ['ขายแล้ว 4 พฤษภาคม 2026', '2026-05-04'],
  ['ขายแล้ว วันที่ 4 เดือน มิถุนายน พ.ศ. 2569', '2026-06-04'],
  ['MacBook Pro 2015 16', undefined],
  ['Joined Aug 2007', undefined],
  ['72+ sold', undefined],
])('"%s" shows the day %s', (text, expected) => {
  expect(isoDate(readDate(text))).toBe(expected)
})

test('a month and a year are a date without a day', () => {
  expect(readDate('Joined Aug 2007')).toEqual({ year: 2007, month: 8, day: undefined })
})

describe('time left', () => {
  const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]
  test.each([
    ['3d 14h left', 3 * day + 14 * hour, hour],
    ['2h 9m', 2 * hour + 9 * minute, minute],
    ['35s', 35 * second, second],
    ['0s left', 0, second],
    ['Time left 1d 3h', day + 3 * hour, hour],
    ['Noch 2T 3Std', 2 * day + 3 * hour, hour],
    ['Noch 5 Min. 12 Sek.', 5 * minute + 12 * second, second],
    ['3 j 4 h restants', 3 * day + 4 * hour, hour],
    ['Tempo rimasto: 2g 5h', 2 * day + 5 * hour, hour],
    ['Quedan 2 d 5 h', 2 * day + 5 * hour, hour],
    ['Pozostało 2 dn. 5 godz.', 2 * day + 5 * hour, hour],
    ['残り 1日 2時間', day + 2 * hour, hour],
    ['剩餘 3天 4小時', 3 * day + 4 * hour, hour],
  ])('"%s"', (text, total, precision) => {
    expect(readDuration(text)).toEqual({ total, precision })
  })

  test('a line without a unit of time has no time left', () => {
    expect(readDuration('12 watchers')).toBeUndefined()
    expect(hasTimeLeft('delivery in 2-4 days')).toBe(false)
    expect(hasTimeLeft('2h 5m left')).toBe(true)
  })

  test('the clock time on the card determines the minute', () => {
    const observed = new Date('2026-07-21T22:40:12Z')
    const end = endOfAuction({ total: 3 * day + 14 * hour, precision: hour }, '(Sat, 05:15 AM)', observed)
    expect(end.toISOString()).toBe('2026-07-25T13:15:00.000Z')
    expect(endOfAuction({ total: 60_000, precision: minute }, '(Today 03:41 PM)', observed).toISOString()).toBe(
      '2026-07-21T22:41:12.000Z',
    )
    expect(endOfAuction('ended', '(Today 03:39 PM)', observed).toISOString()).toBe('2026-07-21T22:39:00.000Z')
  })
})
