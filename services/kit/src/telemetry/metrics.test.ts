import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('durations render as a histogram with cumulative buckets, sum and count by label', async () => {
  const metrics = createMetrics({ processMetrics: false })
  const addSeries = metrics.durations({ name: 'work_seconds', help: 'How long.', buckets: [0.1, 1] })
  const observe = addSeries({ route: '/a' })
  for (const seconds of [0.05, 0.1, 0.5, 3]) observe(seconds)
  expect(await metrics.render()).toBe(`# HELP work_seconds How long.
# TYPE work_seconds histogram
work_seconds_bucket{route="/a",le="0.1"} 2
work_seconds_bucket{route="/a",le="1"} 3
work_seconds_bucket{route="/a",le="+Inf"} 4
work_seconds_sum{route="/a"} 3.65
work_seconds_count{route="/a"} 4
`)
})

test('a gauge is read when the metrics are rendered', async () => {
  const metrics = createMetrics({ processMetrics: false })
  let open = 1
  metrics.gauge({ name: 'open', help: 'Open now.' }, () => open)
  open = 7
  expect(await metrics.render()).toContain('open 7')
})

test('gauges are read by label, and removed labels are no longer rendered', async () => {
  const metrics = createMetrics({ processMetrics: false })
  const depths = new Map([
    ['a', 2],
    ['b', 3],
  ])
  metrics.gauges({ name: 'depth', help: 'Waiting.', labels: ['queue'] }, () =>
    [...depths].map(([queue, value]) => ({ labels: { queue }, value })),
  )
  expect(await metrics.render()).toContain('depth{queue="b"} 3')
  depths.delete('b')
  const rendered = await metrics.render()
  expect(rendered).toContain('depth{queue="a"} 2')
  expect(rendered).not.toContain('queue="b"')
})
