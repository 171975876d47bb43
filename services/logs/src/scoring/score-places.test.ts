import { expect, test } from 'vitest'
import { createPlaceScoring } from './score-places.ts'
import { stretchesOf, templatesOf } from './stretches-for-tests.ts'
import type { TemplateSeries } from './template-series.ts'
import type { ThrottledSearch } from './throttled-search.ts'

const minute = 60_000
const bucketCount = 50
const lines = Array.from({ length: bucketCount * 60 }, (_, index) => ({
  text: `2026-03-01T10:00:00Z rack${index % 10} app[1]: ready`,
  kind: 'ready',
}))
const entries = stretchesOf(lines, lines.length).flatMap((stretch) => stretch.entries)
const seriesOf = (judgedWhole: boolean): TemplateSeries => ({
  start: 0,
  bucketMilliseconds: minute,
  bucketCount,
  judgedFrom: 15,
  judgedWhole,
  firstTime: 0,
  lastTime: bucketCount * minute - 1,
  templates: templatesOf(lines).map((template) => ({
    ...template,
    count: lines.length,
    buckets: new Array<number>(bucketCount).fill(60),
  })),
})

/** A scorer whose clock advances a second with each search. */
const open = () => {
  let clock = 0
  let searches = 0
  const search: ThrottledSearch = async ({ since = 0, until = 0 }, limit) => {
    clock += 1_000
    searches++
    return entries.filter(({ effectiveTime }) => effectiveTime >= since && effectiveTime < until).slice(0, limit)
  }
  const score = createPlaceScoring(() => clock)
  const end = bucketCount * minute
  return {
    wait: (milliseconds: number) => {
      clock += milliseconds
    },
    /** The number of searches that scoring the entries since a time takes. */
    searchesFor: async (since: number, isWhole = false) => {
      const before = searches
      await score({ sourceId: 'app', since, until: end, firstTime: 0 }, seriesOf(isWhole), search)
      return searches - before
    },
    end,
  }
}

test('a growing source is examined again after fifty times the duration of the previous examination', async () => {
  const { searchesFor, wait, end } = open()
  const first = await searchesFor(end - minute)
  expect(first).toBeGreaterThan(0)
  expect(await searchesFor(end - minute)).toBe(0)
  wait(first * 1_000 * 50 - 1)
  expect(await searchesFor(end - minute)).toBe(0)
  wait(1)
  expect(await searchesFor(end - minute)).toBe(first)
})

test('a requested run examines a whole source, or an older part of it, without waiting', async () => {
  const { searchesFor, end } = open()
  const first = await searchesFor(end - minute)
  expect(await searchesFor(0, true)).toBe(first)
  expect(await searchesFor(end - 30 * minute)).toBe(first)
})
