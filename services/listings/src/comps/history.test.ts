import { describe, expect, test } from 'vitest'
import type { CompDetails, MarketComp } from './comps.ts'
import { historyFrom, type Snapshot } from './history.ts'

const now = new Date('2026-06-15T12:00:00Z')
const details: CompDetails = {
  interval: null,
  confidence: 'high',
  modes: null,
  recentMedian: 100,
  strata: [],
  excluded: {},
}
const comp: MarketComp = { medianPrice: 100, quartiles: [90, 110], sampleCount: 30, currency: 'USD', details }
const daysAgo = (days: number, medianPrice: number): Snapshot => ({
  takenOn: new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10),
  medianPrice,
})
const long = [daysAgo(100, 80), daysAgo(60, 120), daysAgo(20, 100), daysAgo(10, 90), daysAgo(0, 100)]

test('bands cover the last 30, 90 and 180 days and show whether the history is as long', () => {
  expect(historyFrom(long, comp, now)).toMatchObject({
    firstOn: '2026-03-07',
    bands: [
      { days: 30, medianPrice: 100, lowest: 90, highest: 100, snapshots: 3, isCovered: true },
      { days: 90, medianPrice: 100, lowest: 90, highest: 120, snapshots: 4, isCovered: true },
      { days: 180, medianPrice: 100, lowest: 80, highest: 120, snapshots: 5, isCovered: false },
    ],
  })
})

describe('a good deal', () => {
  test('is near the lowest price and below the first quartile', () => {
    expect(historyFrom(long, comp, now)).toMatchObject({ dealBelow: 84, dealUnknown: null })
    expect(historyFrom(long, { ...comp, quartiles: [70, 110] }, now).dealBelow).toBe(70)
  })

  test.each<[string, readonly Snapshot[], MarketComp, RegExp]>([
    ['a short history', [daysAgo(10, 100)], comp, /needs 4 weeks more/],
    ['no history', [], comp, /needs 5 weeks more/],
    ['few lookups', [daysAgo(50, 100), daysAgo(0, 100)], comp, /only 2 days/],
    ['no price', long, { ...comp, medianPrice: null, quartiles: null }, /too few/],
    ['two prices', long, { ...comp, details: { ...details, modes: [50, 150] } }, /two prices/],
    ['low confidence', long, { ...comp, details: { ...details, confidence: 'low' } }, /too few or too different/],
  ])('is not judged with %s', (_, snapshots, price, why) => {
    expect(historyFrom(snapshots, price, now)).toMatchObject({
      dealBelow: null,
      dealUnknown: expect.stringMatching(why),
    })
  })
})
