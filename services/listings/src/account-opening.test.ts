import { expect, test } from 'vitest'
import { accountAge, openingOf } from './account-opening.ts'

const observedAt = new Date('2026-06-15T12:00:00Z')
const month = (year: number, of: number) => openingOf({ year, month: of, day: undefined }, observedAt)
const onDay = (dayOfMonth: number) => openingOf({ year: 2026, month: 6, day: dayOfMonth }, observedAt)

test.each([
  ['a past month ends on its last day', month(2024, 2), { earliest: '2024-02-01', latest: '2024-02-29' }],
  ['the current month ends today', month(2026, 6), { earliest: '2026-06-01', latest: '2026-06-15' }],
  [
    'a month that begins tomorrow is accepted, as it has begun in another time zone',
    openingOf({ year: 2026, month: 7, day: undefined }, new Date('2026-06-30T12:00:00Z')),
    { earliest: '2026-07-01', latest: '2026-07-01' },
  ],
  [
    'a year ends on its last day',
    openingOf({ year: 2024, month: undefined, day: undefined }, observedAt),
    { earliest: '2024-01-01', latest: '2024-12-31' },
  ],
  [
    'the current year ends today',
    openingOf({ year: 2026, month: undefined, day: undefined }, observedAt),
    { earliest: '2026-01-01', latest: '2026-06-15' },
  ],
  ['a later month is unknown', month(2026, 7), undefined],
  ['a day is exact', onDay(4), { earliest: '2026-06-04', latest: '2026-06-04' }],
  ['a later day is unknown', onDay(17), undefined],
])('%s', (_, opening, expected) => {
  expect(opening).toEqual(expected)
})

test('an age is a range of days that is never negative', () => {
  expect(accountAge({ earliest: '2026-06-01', latest: '2026-06-15' }, observedAt)).toEqual({ atLeast: 0, atMost: 14 })
  expect(accountAge({ earliest: '2026-06-16', latest: '2026-06-16' }, observedAt)).toEqual({ atLeast: 0, atMost: 0 })
})
