import { describe, expect, test } from 'vitest'
import type { TemplateCounts } from '../templates/count-templates.ts'
import { findAnomalies } from './find-anomalies.ts'
import { minScore } from './finding.ts'
import type { TemplateSeries } from './template-series.ts'

const minute = 60_000
const bucketCount = 100

/** A template with a level (0 none, 1 CRITICAL, 2 ERROR, 3 WARN) and a count per bucket. */
const kind = (template: string, level: 0 | 1 | 2 | 3, countIn: (bucket: number) => number): TemplateCounts => {
  const buckets = Array.from({ length: bucketCount }, (_, bucket) => countIn(bucket))
  const count = buckets.reduce((sum, value) => sum + value, 0)
  const bySeverity: TemplateCounts['bySeverity'] = [0, 0, 0, 0]
  bySeverity[level] = count
  const first = buckets.findIndex((value) => value > 0) * minute
  const last = buckets.findLastIndex((value) => value > 0) * minute
  const seen = { firstSeen: first, lastSeen: last, firstCounted: first, lastCounted: last }
  return { templateId: template, template, count, bySeverity, ...seen, buckets }
}
const work = kind('stored document <*>', 0, () => 100)
const seriesOf = (templates: readonly TemplateCounts[], isWhole = false): TemplateSeries => ({
  start: 0,
  bucketMilliseconds: minute,
  bucketCount,
  judgedFrom: isWhole ? 30 : 98,
  judgedWhole: isWhole,
  firstTime: 0,
  lastTime: bucketCount * minute - 1,
  templates: [work, ...templates],
})
const foundIn = (templates: readonly TemplateCounts[], isWhole = false) =>
  findAnomalies(seriesOf(templates, isWhole)).filter(({ score }) => score >= minScore)
const labelsIn = (...series: Parameters<typeof foundIn>) => foundIn(...series).map(({ label }) => label)

describe('anomalies of a source', () => {
  test('include a fault at the beginning of a source, without earlier entries to compare with', () => {
    const found = foundIn([kind('link to <*> has been severed', 2, (bucket) => (bucket === 2 ? 7 : 0))], true)
    expect(found).toMatchObject([{ label: 'failure', count: 7, severity: 'ERROR' }])
    expect(found[0]?.reason).toMatch(/a connection, a disk or a neighbour that was lost; 7 of 7 came together\.$/)
  })

  test('include a failure that is new, but not one that is usual', () => {
    const failure = 'job <*> threw an exception'
    expect(labelsIn([kind(failure, 2, () => 3)])).toEqual([])
    const found = foundIn([kind(failure, 2, (bucket) => (bucket >= 98 ? 3 : 0))])
    expect(found.map(({ label }) => label)).toContain('failure')
    expect(found[0]?.reason).toContain('it did not occur in 98 stretches before')
  })

  test('exclude a failure that only occurred earlier', () => {
    expect(labelsIn([kind('link to <*> has been severed', 2, (bucket) => (bucket < 90 ? 3 : 0))])).not.toContain(
      'failure',
    )
  })

  test('exclude one more failing template among dozens, but include what stops a machine', () => {
    const noise = Array.from({ length: 30 }, (_, index) => kind(`widget ${index} failed to draw`, 2, () => 1))
    const found = foundIn([...noise, kind('kernel panic in <*>', 2, (bucket) => (bucket === 70 ? 1 : 0))], true)
    expect(found.filter(({ label }) => label === 'failure').map(({ template }) => template)).toEqual([
      'kernel panic in <*>',
    ])
  })

  test('include a burst that exceeds all earlier ones, but not a recurring one', () => {
    expect(labelsIn([kind('opened the door', 0, (bucket) => (bucket === 99 ? 400 : 1))])).toEqual(['burst'])
    expect(labelsIn([kind('opened the door', 0, (bucket) => (bucket % 9 === 0 ? 400 : 1))])).toEqual([])
  })

  test('have reasons with long time spans in suitable units', () => {
    const series = seriesOf([kind('opened the door', 0, (bucket) => (bucket === 99 ? 400 : 1))])
    const found = findAnomalies({ ...series, bucketMilliseconds: 325_009_702 })
    expect(found.find(({ label }) => label === 'burst')?.reason).toMatch(/^400 times in 3\.8 days, where /)
  })

  test('have reasons with counts in the singular and plural', () => {
    const [found] = foundIn([kind('opened the door', 0, (bucket) => (bucket === 99 ? 400 : 1))])
    expect(found?.reason).toBe('400 times in 1 minute, where 1 was usual.')
  })

  test('include a new template by its level and wording, but not a harmless one', () => {
    const onceNow = (bucket: number) => (bucket === 99 ? 1 : 0)
    expect(labelsIn([kind('cannot open the vault', 2, onceNow)])).toContain('new_template')
    expect(labelsIn([kind('opened the vault', 0, onceNow)])).toEqual([])
  })

  test('exclude a new template where new ones arrive constantly', () => {
    const firsts = Array.from({ length: 1_500 }, (_, index) =>
      kind(`step ${index}`, 0, (bucket) => (bucket === index % 98 ? 1 : 0)),
    )
    const now = kind('the queue is long', 3, (bucket) => (bucket === 99 ? 1 : 0))
    expect(labelsIn([now])).toEqual(['new_template'])
    expect(labelsIn([now, ...firsts])).toEqual([])
  })
})
