import { describe, expect, test } from 'vitest'
import { planReading, type ReadingLimits, readRequestsFor } from './plan-reading.ts'
import type { TemplateSeries } from './template-series.ts'

const bucketCount = 50
const limits: ReadingLimits = { each: 100, together: 1_000, min: 10 }

/** A series of templates with a function that returns the count in a bucket. */
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

describe('read requests for anomalies', () => {
  test('end with the bucket by which there are enough entries', () => {
    const series = seriesOf({ often: () => 30 })
    expect(readRequestsFor(series, [whole('often')], limits)).toEqual([
      { templateId: 'often', from: 0, to: 4, limit: 100 },
    ])
  })

  test('are merged if several anomalies have the same entries', () => {
    const series = seriesOf({ seldom: (bucket) => (bucket === 20 ? 5 : 0) })
    const ways = [{ templateId: 'seldom', bucket: 20 }, whole('seldom'), whole('seldom')]
    expect(readRequestsFor(series, ways, limits)).toEqual([{ templateId: 'seldom', from: 0, to: 21, limit: 100 }])
  })

  test('include a burst although the beginning of the same template is read, if that does not reach it', () => {
    const series = seriesOf({ often: () => 90 })
    const requests = readRequestsFor(series, [whole('often'), { templateId: 'often', bucket: 40 }], limits)
    expect(requests.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [40, 41],
    ])
  })

  test('have lower limits the more of them there are, and never a limit of 0', () => {
    const names = Array.from({ length: 30 }, (_, index) => `kind ${index}`)
    const series = seriesOf(Object.fromEntries(names.map((name) => [name, () => 50])))
    const allocated = readRequestsFor(series, names.map(whole), limits).map(({ limit }) => limit)
    expect([allocated.at(0), allocated.at(-1)]).toEqual([100, 10])
  })

  test('are empty if there are no entries', () => {
    expect(readRequestsFor(seriesOf({ gone: () => 0 }), [whole('gone'), whole('unknown')], limits)).toEqual([])
  })
})

describe('planned searches', () => {
  const planOf = (kinds: Parameters<typeof seriesOf>[0], each = 1_000) => {
    const series = seriesOf(kinds)
    const requests = readRequestsFor(series, Object.keys(kinds).map(whole), { each, together: 1_000_000, min: 10 })
    return { requests, plan: planReading(series, requests) }
  }

  test('read all templates of adjacent buckets together', () => {
    const { plan } = planOf({ one: () => 1, other: (bucket) => (bucket === 7 ? 9 : 0), third: () => 2 })
    expect(plan).toEqual([{ templateIds: ['one', 'third', 'other'], from: 0, to: 50, limit: 159 }])
  })

  test('read a template alone in a bucket with more entries of it than can be read with others', () => {
    const { plan } = planOf({ one: () => 1, flood: (bucket) => (bucket === 7 ? 50_000 : 0) })
    expect(plan).toContainEqual({ templateIds: ['flood'], from: 7, to: 8, limit: 1_000 })
    expect(plan).toContainEqual({ templateIds: ['one'], from: 0, to: 50, limit: 50 })
  })

  test('cover every requested bucket of every template, with at most two thousand entries each', () => {
    const kinds = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`kind ${index}`, (bucket: number) => (bucket * 37 + index * 91) % 301]),
    )
    const { requests, plan } = planOf(kinds)
    expect(Math.max(...plan.map(({ limit }) => limit))).toBeLessThanOrEqual(2_000)
    for (const { templateId, from, to } of requests)
      for (let bucket = from; bucket < to; bucket++) {
        if ((kinds[templateId]?.(bucket) ?? 0) === 0) continue
        const isRead = plan.some(
          (reading) => reading.templateIds.includes(templateId) && reading.from <= bucket && bucket < reading.to,
        )
        expect(isRead, `${templateId} in bucket ${bucket}`).toBe(true)
      }
  })
})
