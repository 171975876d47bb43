import { describe, expect, test } from 'vitest'
import { planReading, type ReadingLimits, wantsOf } from './plan-reading.ts'
import type { TemplateSeries } from './template-series.ts'

const bucketCount = 50
const limits: ReadingLimits = { each: 100, together: 1_000, min: 10 }

/** Kinds of messages by how often each comes in a bucket. */
const seriesOf = (kinds: Readonly<Record<string, (bucket: number) => number>>): TemplateSeries => ({
  start: 0,
  bucketMilliseconds: 60_000,
  bucketCount,
  judgedFrom: 0,
  judgedWhole: true,
  firstTime: 0,
  lastTime: bucketCount * 60_000 - 1,
  templates: Object.entries(kinds).map(([templateId, countIn]) => {
    const buckets = Array.from({ length: bucketCount }, (_, bucket) => countIn(bucket))
    const count = buckets.reduce((sum, value) => sum + value, 0)
    const times = { firstSeen: 0, lastSeen: 0, firstCounted: 0, lastCounted: 0 }
    return { templateId, template: templateId, count, bySeverity: [count, 0, 0, 0], ...times, buckets }
  }),
})
const whole = (templateId: string) => ({ templateId, bucket: 0, buckets: bucketCount })

describe('what is wanted of what stands out', () => {
  test('ends with the bucket in which there is enough', () => {
    const series = seriesOf({ often: () => 30 })
    expect(wantsOf(series, [whole('often')], limits)).toEqual([{ templateId: 'often', from: 0, to: 4, limit: 100 }])
  })

  test('is wanted once where the same entries stand out in several ways', () => {
    const series = seriesOf({ seldom: (bucket) => (bucket === 20 ? 5 : 0) })
    const ways = [{ templateId: 'seldom', bucket: 20 }, whole('seldom'), whole('seldom')]
    expect(wantsOf(series, ways, limits)).toEqual([{ templateId: 'seldom', from: 0, to: 21, limit: 100 }])
  })

  test('of a burst is wanted although the beginning of the same kind is, where that does not reach it', () => {
    const series = seriesOf({ often: () => 90 })
    const wants = wantsOf(series, [whole('often'), { templateId: 'often', bucket: 40 }], limits)
    expect(wants.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [40, 41],
    ])
  })

  test('is less for each the more there is, and never nothing', () => {
    const names = Array.from({ length: 30 }, (_, index) => `kind ${index}`)
    const series = seriesOf(Object.fromEntries(names.map((name) => [name, () => 50])))
    const given = wantsOf(series, names.map(whole), limits).map(({ limit }) => limit)
    expect([given.at(0), given.at(-1)]).toEqual([100, 10])
  })

  test('is nothing where nothing is', () => {
    expect(wantsOf(seriesOf({ gone: () => 0 }), [whole('gone'), whole('unheard of')], limits)).toEqual([])
  })
})

describe('searches that read it', () => {
  const planOf = (kinds: Parameters<typeof seriesOf>[0], each = 1_000) => {
    const series = seriesOf(kinds)
    const wants = wantsOf(series, Object.keys(kinds).map(whole), { each, together: 1_000_000, min: 10 })
    return { wants, plan: planReading(series, wants) }
  }

  test('are one for all kinds of neighbouring buckets', () => {
    const { plan } = planOf({ one: () => 1, other: (bucket) => (bucket === 7 ? 9 : 0), third: () => 2 })
    expect(plan).toEqual([{ templateIds: ['one', 'third', 'other'], from: 0, to: 50, limit: 159 }])
  })

  test('are one for each bucket in which a kind alone is more than can be read with others', () => {
    const { plan } = planOf({ one: () => 1, flood: (bucket) => (bucket === 7 ? 50_000 : 0) })
    expect(plan).toContainEqual({ templateIds: ['flood'], from: 7, to: 8, limit: 1_000 })
    expect(plan).toContainEqual({ templateIds: ['one'], from: 0, to: 50, limit: 50 })
  })

  test('read every bucket that is wanted of every kind, and never ask for more than two thousand entries', () => {
    const kinds = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`kind ${index}`, (bucket: number) => (bucket * 37 + index * 91) % 301]),
    )
    const { wants, plan } = planOf(kinds)
    expect(Math.max(...plan.map(({ limit }) => limit))).toBeLessThanOrEqual(2_000)
    for (const { templateId, from, to } of wants)
      for (let bucket = from; bucket < to; bucket++) {
        if ((kinds[templateId]?.(bucket) ?? 0) === 0) continue
        const isRead = plan.some(
          (reading) => reading.templateIds.includes(templateId) && reading.from <= bucket && bucket < reading.to,
        )
        expect(isRead, `${templateId} in bucket ${bucket}`).toBe(true)
      }
  })
})
