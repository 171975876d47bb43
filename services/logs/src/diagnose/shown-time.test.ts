import { expect, test } from 'vitest'
import { utc, type Zone, zoneOf } from '../formats/zone.ts'
import { shownTime, windowInWords } from './shown-time.ts'

const noon = Date.parse('2026-02-01T12:00:00Z')
const zone = (name: string): Zone => zoneOf(name) ?? utc

test.each([
  ['UTC', '2026-02-01 12:00 UTC'],
  ['America/New_York', '2026-02-01 07:00 UTC-5'],
  ['Asia/Kolkata', '2026-02-01 17:30 UTC+5:30'],
])('a time is shown in the zone %s with its offset from UTC', (name, shown) => {
  expect(shownTime(noon, zone(name))).toBe(shown)
})

test.each([
  [3_600_000, 'between 2026-02-01 12:00 UTC and 2026-02-01 13:00 UTC'],
  [30_000, 'between 2026-02-01 12:00:00 UTC and 2026-02-01 12:00:30 UTC'],
  [250, 'between 2026-02-01 12:00:00.000 UTC and 2026-02-01 12:00:00.250 UTC'],
])('the start and end of a window of %i ms are distinguishable', (length, words) => {
  expect(windowInWords(noon, noon + length, utc)).toBe(words)
})
