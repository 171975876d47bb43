import { expect, test } from 'vitest'
import type { Sample } from './resources.ts'
import { growing, percentile } from './summary.ts'
import { createTally } from './tally.ts'

/** Samples of a process, once a second for a minute. */
const sampled = (pid: number, at: (second: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 60 }, (_, second) => ({
    at: second * 1_000,
    pid,
    name: `process-${pid}`,
    megabytes: 300,
    descriptors: 100,
    ...at(second),
  }))
const sorted = (...all: Sample[][]) => all.flat().toSorted((a, b) => a.at - b.at)

test('a process grows if its last third takes more than its second, whatever the first took', () => {
  const warming = sampled(1, (second) => ({ megabytes: second < 20 ? second * 10 : 300 }))
  const leaking = sampled(2, (second) => ({ megabytes: 300 + second * 8 }))
  const busy = sampled(4, (second) => ({ descriptors: second > 45 && second % 3 > 0 ? 300 : 100 }))
  const opening = sampled(3, (second) => ({ descriptors: 100 + second * 8 }))
  expect(growing(sorted(warming))).toEqual([])
  expect(growing(sorted(warming, busy, leaking, opening))).toEqual([
    expect.stringMatching(/^process-2: megabytes /),
    expect.stringMatching(/^process-3: descriptors /),
  ])
})

test('a worker that started in between is not compared', () => {
  const lasting = sampled(1, () => ({}))
  const worker = sampled(2, (second) => ({ megabytes: second * 100 })).slice(30)
  expect(growing(sorted(lasting, worker))).toEqual([])
})

test('a percentile is one of the measured values', () => {
  const values = Array.from({ length: 200 }, (_, index) => index + 1)
  expect([0.5, 0.95, 0.99].map((part) => percentile(values, part))).toEqual([100, 190, 198])
  expect(percentile([7], 0.99)).toBe(7)
})

test('5xx except 503, and internal gRPC errors, are faults', () => {
  const tally = createTally()
  for (const outcome of [200, 404, 429, 503, 'no answer', 'grpc 16', 'grpc 12'] as const)
    tally.add('kind', outcome, () => 'a request')
  expect(tally.faults()).toEqual([])
  for (const outcome of [500, 502, 'grpc 13', 'grpc 2'] as const) tally.add('kind', outcome, () => 'a request')
  expect(tally.faults()).toHaveLength(4)
  expect(tally.count('kind', 503)).toBe(1)
})
