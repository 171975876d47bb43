import { describe, expect, test } from 'vitest'
import type { StoredEntry } from '../entries/entry.ts'
import { readStretches } from './read-stretches.ts'
import { stretchesOf, templatesOf } from './stretches-for-tests.ts'
import type { TemplateSeries } from './template-series.ts'
import type { ThrottledSearch } from './throttled-search.ts'

const bucketMilliseconds = 60_000
const millisecondsBetween = 1_000

/** A source with one entry per second, and a search over it. */
const sourceOf = (count: number, judgedWhole: boolean) => {
  const lines = Array.from({ length: count }, (_, index) => ({ text: `ready ${index}`, kind: 'ready' }))
  const entries = stretchesOf(lines, count).flatMap((stretch) => stretch.entries)
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
    templates: templatesOf(lines.slice(0, 1)).map((template) => ({ ...template, count, buckets })),
  }
  let returned = 0
  const search: ThrottledSearch = async ({ since = 0, until = Number.POSITIVE_INFINITY }, limit) => {
    const found = entries.filter(({ effectiveTime }) => effectiveTime >= since && effectiveTime < until).slice(0, limit)
    returned += found.length
    return found
  }
  return { entries, series, search, returned: () => returned }
}
const sequencesOf = (entries: readonly StoredEntry[]) => entries.map(({ sequence }) => sequence)

describe('stretches of a source', () => {
  test('contain all entries of a small source, once and in order, with equal numbers of entries', async () => {
    const { entries, series, search } = sourceOf(6_000, true)
    const stretches = await readStretches(series, search)
    expect(sequencesOf(stretches.flatMap((stretch) => stretch.entries))).toEqual(sequencesOf(entries))
    expect(new Set(stretches.map((stretch) => stretch.entries.length))).toEqual(new Set([150]))
    expect(stretches.slice(1).every(({ followsPrevious }) => followsPrevious)).toBe(true)
  })

  test('contain at most twenty thousand entries, spread over the source', async () => {
    const { series, search, returned } = sourceOf(100_000, true)
    const stretches = await readStretches(series, search)
    expect(returned()).toBeLessThanOrEqual(20_000)
    expect(stretches).toHaveLength(40)
    const starts = stretches.map(({ since }) => since)
    expect(starts.at(0)).toBe(0)
    expect(starts.at(-1)).toBeGreaterThan(0.95 * series.lastTime)
    expect(stretches.every(({ followsPrevious }, index) => index === 0 || !followsPrevious)).toBe(true)
  })

  test('contain the newest of recent entries without gaps, each once', async () => {
    const { series, search } = sourceOf(100_000, false)
    const stretches = await readStretches(series, search)
    const sequences = sequencesOf(stretches.flatMap((stretch) => stretch.entries))
    expect(new Set(sequences).size).toBe(sequences.length)
    expect(sequences.slice(-4_000)).toEqual(Array.from({ length: 4_000 }, (_, index) => 96_000 + index))
    expect(stretches.slice(-9).every(({ followsPrevious }) => followsPrevious)).toBe(true)
  })

  test('are empty if there are too few entries', async () => {
    const { series, search, returned } = sourceOf(900, true)
    expect([await readStretches(series, search), returned()]).toEqual([[], 0])
  })
})
