import { createEdge, edgeConfig } from '@trellis/edge'
import { readConfig } from '@trellis/kit/config'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import openapi from '../probe/gen/edge/openapi.json' with { type: 'json' }

/** Two services, one of them with two backends. */
const backends = ['one', 'two', 'two'].map((name, index) => ({
  name: `${name}${index}`,
  mount: `/${name}`,
  heartbeat: 'keepalive',
  client: {},
}))

const fetchReady = async (missing: Record<string, string>) => {
  await using edge = await createEdge({
    config: readConfig(edgeConfig, { SHUTDOWN_SECONDS: '1' }),
    routes: [],
    backends,
    openapi: openapi as never,
    missing: () => missing,
    log: silentLog,
    metrics: createMetrics({ processMetrics: false }),
  })
  const response = await edge.server.inject('/ready')
  return { status: response.statusCode, body: response.json() as unknown }
}

test('an edge is ready while any of its services is available, and names the unavailable ones', async () => {
  expect(await fetchReady({})).toEqual({ status: 200, body: { status: 'ready' } })
  const away = { two: 'it cannot be reached' }
  expect(await fetchReady(away)).toEqual({ status: 200, body: { status: 'ready in part', missing: away } })
  const all = { one: 'it has not answered yet', ...away }
  expect(await fetchReady(all)).toMatchObject({ status: 503, body: { status: 'not ready', missing: all } })
})
