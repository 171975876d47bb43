import type { Metrics } from '@trellis/kit/telemetry'
import type { NodeRow } from './store/tables.ts'

/** Metrics of the service. */
export type MusicMetrics = {
  /** A take is ready, or its generation failed. */
  readonly ended: (node: NodeRow) => void
}

/** Records nothing. */
export const noMetrics: MusicMetrics = { ended: () => undefined }

export const createMusicMetrics = (metrics: Metrics): MusicMetrics => {
  const generations = metrics.counter({
    name: 'trellis_music_generations_total',
    help: 'Generations that ended, by generator and outcome.',
    labels: ['generator', 'outcome'],
  })
  const durations = metrics.histogram({
    name: 'trellis_music_generation_duration_seconds',
    help: 'Time from the start of a worker on a take until it was ready, by generator.',
    labels: ['generator'],
    buckets: [1, 2, 5, 10, 20, 60, 120, 300, 900],
  })
  return {
    ended: ({ generator, status, started_at: startedAt, ready_at: readyAt }) => {
      const labels = { generator: generator ?? 'unknown' }
      generations.inc({ ...labels, outcome: status === 'ready' ? 'ready' : 'failed' })
      if (readyAt !== null && startedAt !== null)
        durations.observe(labels, (Date.parse(readyAt) - Date.parse(startedAt)) / 1_000)
    },
  }
}
