import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import { composeTrellis } from '../../services/all-in-one/src/compose.ts'
import { readAllConfig } from '../../services/all-in-one/src/config.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

test('the embedded form exposes the depth and the limit of each bounded queue as metrics', async () => {
  await using directory = await temporaryDirectory()
  const metrics = createMetrics({ processMetrics: false })
  await using _trellis = await composeTrellis(
    readAllConfig({ TRELLIS_DATA_DIR: directory.path, MAX_CONNECTIONS: '77' }),
    {
      log: silentLog,
      metrics,
    },
  )
  const text = await metrics.render()
  for (const name of ['trellis_streams', 'trellis_connections', 'trellis_uploads'])
    expect(text).toMatch(new RegExp(`^${name}_open 0\\n[^]*^${name}_limit [1-9]`, 'm'))
  expect(text).toContain('trellis_connections_limit 77\n')
  for (const name of ['trellis_logs_pushed_bytes', 'trellis_logs_spooled_bytes']) {
    expect(text).toContain(`${name} 0\n`)
    expect(text).toMatch(new RegExp(`^${name}_limit [1-9]`, 'm'))
  }
  for (const workload of ['search', 'generation'])
    for (const state of ['running', 'queued']) {
      expect(text).toContain(`trellis_workload_runs{workload="${workload}",state="${state}"} 0\n`)
      expect(text).toMatch(
        new RegExp(`^trellis_workload_runs_limit\\{workload="${workload}",state="${state}"\\} [1-9]`, 'm'),
      )
    }
  expect(text).toContain('trellis_logs_batches_set_aside_total 0\n')
})
