import { createMetrics } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import { createMusicMetrics } from './metrics.ts'
import type { NodeRow } from './store/tables.ts'

test('takes that are ready are counted with their durations, and failed ones are counted', async () => {
  const metrics = createMetrics({ processMetrics: false })
  const { ended } = createMusicMetrics(metrics)
  const take = { generator: 'recombine', started_at: '2026-01-01T00:00:00.000Z' } as NodeRow
  ended({ ...take, status: 'ready', ready_at: '2026-01-01T00:00:03.000Z' })
  ended({ ...take, status: 'error', ready_at: null })
  ended({ ...take, status: 'error', started_at: null, ready_at: null })
  const text = await metrics.render()
  expect(text).toContain('trellis_music_generations_total{generator="recombine",outcome="ready"} 1')
  expect(text).toContain('trellis_music_generations_total{generator="recombine",outcome="failed"} 2')
  expect(text).toContain('trellis_music_generation_duration_seconds_sum{generator="recombine"} 3')
  expect(text).toContain('trellis_music_generation_duration_seconds_count{generator="recombine"} 1')
})
