import { readConfig } from '@trellis/kit/config'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import { edgeConfig } from './config.ts'
import { createEdge } from './edge.ts'

test('/ready is 503 and /health is 200 once the process shuts down after an error', async () => {
  let isReady = true
  await using edge = await createEdge({
    config: readConfig(edgeConfig, {}),
    routes: [],
    backends: [],
    missing: () => ({}),
    isReady: () => isReady,
    log: silentLog,
    metrics: createMetrics({ processMetrics: false }),
  })
  const statusOf = async (url: string) => (await edge.server.inject({ url })).statusCode
  expect(await statusOf('/ready')).toBe(200)
  isReady = false
  expect([await statusOf('/ready'), await statusOf('/health')]).toEqual([503, 200])
})
