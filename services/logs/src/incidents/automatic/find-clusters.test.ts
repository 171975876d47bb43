import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findClusters } from './find-clusters.ts'

const rule = { threshold: 5, windowMilliseconds: 600_000 }
const at = (...seconds: number[]) => seconds.map((second) => ({ time: second * 1_000, count: 1, isCritical: false }))

test.each([
  ['auto-incident threshold: 5 errors make a cluster', at(0, 1, 2, 3, 4), [[0, 4, 5]]],
  ['four do not', at(0, 1, 2, 3), []],
  ['auto-incident window: 600 s hold them', at(0, 150, 300, 450, 600), [[0, 600, 5]]],
  ['errors further apart are none', at(0, 150, 300, 450, 601), []],
  ['overlapping windows are one cluster', at(0, 1, 2, 3, 4, 400, 401, 800, 801, 802), [[0, 802, 10]]],
  [
    'two bursts are two clusters',
    at(0, 1, 2, 3, 4, 9_000, 9_001, 9_002, 9_003, 9_004),
    [
      [0, 4, 5],
      [9_000, 9_004, 5],
    ],
  ],
  ['isolated errors are not part of a cluster', at(0, 5_000, 5_001, 5_002, 5_003, 5_004, 9_000), [[5_000, 5_004, 5]]],
])('%s', (_, moments, expected) => {
  const found = findClusters(moments.toReversed(), rule)
  expect(found.map(({ first, last, count }) => [first / 1_000, last / 1_000, count])).toEqual(expected)
})

test('a repeated line counts by its repeat count, and a critical line makes the cluster critical', () => {
  expect(findClusters([{ time: 7, count: 5, isCritical: true }], rule)).toEqual([
    { first: 7, last: 7, count: 5, isCritical: true },
  ])
})

test('an error is in a cluster exactly if some window around it reaches the threshold', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 6_000 }), { maxLength: 40 }), (seconds) => {
      const moments = at(...seconds)
      const clusters = findClusters(moments, rule)
      for (const { time } of moments) {
        const isDense = moments.some(
          ({ time: first }) =>
            first <= time &&
            time <= first + rule.windowMilliseconds &&
            moments.filter((one) => one.time >= first && one.time <= first + rule.windowMilliseconds).length >= 5,
        )
        expect(clusters.some(({ first, last }) => first <= time && time <= last)).toBe(isDense)
      }
    }),
    propertyRuns(),
  )
})
