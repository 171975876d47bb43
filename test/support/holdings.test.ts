import { expect, test } from 'vitest'
import { metricSum } from './holdings.ts'

test('the sum of a metric includes its series with and without labels, but no other metric', () => {
  const text = [
    '# HELP trellis_workload_runs Runs of this machine.',
    'trellis_workload_runs{workload="search",state="running"} 2',
    'trellis_workload_runs{workload="search",state="queued"} 5',
    'trellis_workload_runs_limit{workload="search",state="queued"} 1000',
    'trellis_uploads_open 3',
    '',
  ].join('\n')
  expect(metricSum(text, 'trellis_workload_runs')).toBe(7)
  expect(metricSum(text, 'trellis_uploads_open')).toBe(3)
  expect(metricSum(text, 'trellis_streams_open')).toBe(0)
})
