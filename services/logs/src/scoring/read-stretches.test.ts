import { describe, expect, test } from 'vitest'
import type { StoredEntry } from '../entries/entry.ts'
import { readStretches } from './read-stretches.ts'
import type { RestingSearch } from './resting-search.ts'
import { stretchesOf, templatesOf } from './stretches-for-tests.ts'
import type { TemplateSeries } from './template-series.ts'

const bucketMilliseconds = 60_000
const millisecondsBetween = 1_000

/** A source of which an entry came each second, and what a search of it gives. */
const sourceOf = (count: number, judgedWhole: boolean) => {
  const said = Array.from({ length: count }, (_, index) => ({ text: `ready ${index}`, kind: 'ready' }))
  const entries = stretchesOf(said, count).flatMap((stretch) => stretch.entries)
  const bucketCount = Math.ceil((count * millisecondsBetween) / bucketMilliseconds)
  const buckets = new Array<number>(bucketCount).fill(0)
  for (const { effectiveTime } of entries) {
    const bucket = Math.floor(effectiveTime / bucketMilliseconds)
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
  }
  const series: TemplateSeries = {
    start: 0,
    bucketMilliseconds,
    bucketCount,
    judgedFrom: Math.ceil(bucketCount * 0.3),
    judgedWhole,
    firstTime: 0,
    lastTime: (count - 1) * millisecondsBetween,
    templates: templatesOf(said.slice(0, 1)).map((template) => ({ ...template, count, buckets })),
  }
  let given = 0
  const search: RestingSearch = async ({ since = 0, until = Number.POSITIVE_INFINITY }, limit) => {
    const found = entries.filter(({ effectiveTime }) => effectiveTime >= since && effectiveTime < until).slice(0, limit)
    given += found.length
    return found
  }
  return { entries, series, search, given: () => given }
}
const sequencesOf = (entries: readonly StoredEntry[]) => entries.map(({ sequence }) => sequence)

describe('what is read of a source to see what is out of place', () => {
  test('is all of it where that is little, once and in order, in stretches of as many entries each', async () => {
    const { entries, series, search } = sourceOf(6_000, true)
    const stretches = await readStretches(series, search)
    expect(sequencesOf(stretches.flatMap((stretch) => stretch.entries))).toEqual(sequencesOf(entries))
    expect(new Set(stretches.map((stretch) => stretch.entries.length))).toEqual(new Set([150]))
    expect(stretches.slice(1).every(({ goesOn }) => goesOn)).toBe(true)
  })

  test('is at most twenty thousand entries, spread over all of it', async () => {
    const { series, search, given } = sourceOf(100_000, true)
    const stretches = await readStretches(series, search)
    expect(given()).toBeLessThanOrEqual(20_000)
    expect(stretches).toHaveLength(40)
    const starts = stretches.map(({ since }) => since)
    expect(starts.at(0)).toBe(0)
    expect(starts.at(-1)).toBeGreaterThan(0.95 * series.lastTime)
    expect(stretches.every(({ goesOn }, index) => index === 0 || !goesOn)).toBe(true)
  })

  test('is of what comes in the newest without gaps, and each entry once', async () => {
    const { series, search } = sourceOf(100_000, false)
    const stretches = await readStretches(series, search)
    const sequences = sequencesOf(stretches.flatMap((stretch) => stretch.entries))
    expect(new Set(sequences).size).toBe(sequences.length)
    expect(sequences.slice(-4_000)).toEqual(Array.from({ length: 4_000 }, (_, index) => 96_000 + index))
    expect(stretches.slice(-9).every(({ goesOn }) => goesOn)).toBe(true)
  })

  test('is nothing where there is too little to tell anything', async () => {
    const { series, search, given } = sourceOf(900, true)
    expect([await readStretches(series, search), given()]).toEqual([[], 0])
  })
})
