import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'
import { bucketsFor } from './histogram.ts'
import { bulkBegins } from './near-histogram.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const at = (timestamp: string, text: string) => ({ source_id: 'attic', text, timestamp_iso: timestamp })
const hours = ['09', '10', '11'].map((hour) => at(`2026-03-01T${hour}:15:00Z`, `tick of ${hour}`))
const broken = [at('9999-12-31T23:59:59Z', 'tick of a broken clock'), at('2026-03-09T00:00:00Z', 'tick of next week')]

const withEntries = async (entries: readonly object[]) => {
  const service = await openServiceForTests({ now: () => now })
  const logs = service.client(LogsServiceDefinition)
  await logs.gleanBatch(batchOf(entries))
  const search = async (parameters: object = {}) => {
    const { total, histogram } = await logs.search({ q: '', order: '', ...parameters })
    const counts = histogram?.counts ?? []
    const sum = counts.reduce((all, count) => all + count, 0)
    const { start, bucketSeconds: seconds, earlier, later } = histogram ?? {}
    return { total, sum, start, seconds, earlier, later }
  }
  return { search, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('entries far in the future do not change the histogram of the others, and are counted as later', async () => {
  await using without = await withEntries(hours)
  await using along = await withEntries([...hours, ...broken])
  const expected = await without.search()
  expect(expected).toMatchObject({
    total: 3,
    sum: 3,
    earlier: 0,
    later: 0,
    seconds: 120,
    start: '2026-03-01T09:14:00.000Z',
  })
  expect(await along.search()).toEqual({ ...expected, total: 5, later: 2 })
  expect(await along.search({ q: 'tick' })).toEqual({ ...expected, total: 5, later: 2 })
})

test('a search with a time, or with nothing else found, shows entries far in the future', async () => {
  await using along = await withEntries([...hours, ...broken])
  expect(await along.search({ until: '9999-12-31T23:59:59.999Z' })).toMatchObject({ total: 5, sum: 5, later: 0 })
  expect(await along.search({ since: '2026-03-08T00:00:00Z' })).toMatchObject({ total: 2, sum: 2, later: 0 })
  expect(await along.search({ q: 'broken' })).toMatchObject({ total: 1, sum: 1, later: 0 })
})

const unset = [at('1970-01-01T00:00:07Z', 'tick before the clock was set'), at('1970-01-01T00:00:09Z', 'tick again')]

test('entries of 1970 do not change the histogram of the others, and are counted as earlier', async () => {
  await using without = await withEntries(hours)
  await using along = await withEntries([...hours, ...broken, ...unset])
  const expected = await without.search()
  expect(await along.search()).toEqual({ ...expected, total: 7, earlier: 2, later: 2 })
  expect(await along.search({ q: 'tick' })).toEqual({ ...expected, total: 7, earlier: 2, later: 2 })
})

test('a search with since, or with nothing else found, shows entries of 1970', async () => {
  await using along = await withEntries([...hours, ...unset])
  const whole = { total: 5, sum: 5, earlier: 0, later: 0 }
  expect(await along.search({ since: '1900-01-01T00:00:00Z' })).toMatchObject(whole)
  expect(await along.search({ until: '1970-02-01T00:00:00Z' })).toMatchObject({ total: 2, sum: 2, earlier: 0 })
  expect(await along.search({ q: 'clock' })).toMatchObject({ total: 1, sum: 1, earlier: 0 })
})

test('an entry years before nearly all others is counted as earlier; logs that are really old are shown', async () => {
  const many = Array.from({ length: 30 }, (_, minute) => at(`2026-03-01T09:${10 + minute}:00Z`, `tick ${minute}`))
  const old = Array.from({ length: 30 }, (_, minute) => at(`2004-03-01T09:${10 + minute}:00Z`, `tock ${minute}`))
  await using outlier = await withEntries([...many, at('2001-09-09T01:46:40Z', 'tick of long ago')])
  expect(await outlier.search()).toMatchObject({ total: 31, sum: 30, earlier: 1, seconds: 30 })
  await using both = await withEntries([...many, ...old])
  expect(await both.search()).toMatchObject({ total: 60, sum: 60, earlier: 0 })
  expect(await both.search({ q: 'tock' })).toMatchObject({ total: 30, sum: 30, earlier: 0, seconds: 30 })
})

const counted = (years: readonly (readonly [number, number])[]) => {
  const histogram = bucketsFor(Date.parse('2000-01-01T00:00:00Z'), Date.parse('2026-03-01T00:00:00Z'))
  for (const [year, count] of years) {
    const bucket = Math.floor((Date.UTC(year, 1, 1) - histogram.start) / (histogram.bucketSeconds * 1000))
    histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + count
  }
  return histogram
}

test.each([
  [
    'few of other years, and the others of the last',
    [
      [2000, 1],
      [2009, 2],
      [2026, 97],
    ],
    true,
  ],
  ['all of the last', [[2026, 97]], false],
  [
    'more than a tenth of another year',
    [
      [2000, 11],
      [2026, 89],
    ],
    false,
  ],
  [
    'few, but in most of the years',
    Array.from({ length: 27 }, (_, year) => [2000 + year, year === 26 ? 1000 : 1] as const),
    false,
  ],
  [
    'the bulk long ago',
    [
      [2000, 97],
      [2026, 3],
    ],
    false,
  ],
] as const)('the bulk of matches that are %s is recognised correctly', (_, years, isFar) => {
  const since = bulkBegins(counted(years))
  expect(since !== undefined).toBe(isFar)
  if (since !== undefined) expect(new Date(since).getUTCFullYear()).toBeGreaterThanOrEqual(2025)
})

test('a histogram that spans less than years is never cut', () => {
  const month = bucketsFor(Date.parse('2026-02-01T00:00:00Z'), Date.parse('2026-03-01T00:00:00Z'))
  month.counts[0] = 1
  month.counts[month.counts.length - 1] = 1000
  expect(bulkBegins(month)).toBeUndefined()
})
