import { expect, test } from 'vitest'
import { stacksOf } from './stacks.ts'

const data = { start: '2026-03-01T09:00:00Z', bucket_seconds: 60, counts: [3, 0, 2], earlier: 0, later: 0 }

test('bars are stacked with the worst severity at the bottom', () => {
  const stacks = stacksOf({ ...data, by_severity: { none: [1, 0, 2], ERROR: [2, 0, 0] } })
  expect(stacks).toEqual([
    {
      bucket: 0,
      pieces: [
        { severity: 'ERROR', count: 2, below: 0 },
        { severity: 'none', count: 1, below: 2 },
      ],
    },
    { bucket: 2, pieces: [{ severity: 'none', count: 2, below: 0 }] },
  ])
})

test('without severities, bars are whole', () => {
  expect(stacksOf({ ...data, by_severity: null })).toHaveLength(2)
})
