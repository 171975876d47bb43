import { readConfig } from '@trellis/kit/config'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { routes } from '@trellis/protos/edge/routes.ts'
import { expect, test } from 'vitest'
import { edgeConfig } from '../config.ts'
import { createEdge } from '../edge.ts'
import type { AnyClient } from './routes.ts'

test('a GET is safe to retry unless it starts a search or a price lookup', async () => {
  const seen: Record<string, boolean | undefined> = {}
  const methodOf = (rpc: string) => async (_request: unknown, options: { isSafe?: boolean }) => {
    seen[rpc] = options.isSafe
    throw new Error('There is no answer.')
  }
  const listings = routes.filter(({ path }) => path.startsWith('/listings/'))
  const names = [...new Set(listings.map(({ service }) => service))]
  const client: AnyClient = Object.fromEntries(listings.map(({ rpc }) => [rpc, methodOf(rpc)]))
  await using edge = await createEdge({
    config: readConfig(edgeConfig, {}),
    routes: listings,
    backends: names.map((name) => ({ name, mount: '/listings', heartbeat: '', client })),
    missing: () => ({}),
    log: silentLog,
    metrics: createMetrics({ processMetrics: false }),
  })
  for (const path of ['search?q=x', 'search/async?q=x', 'session', 'comps?q=x'])
    await edge.server.inject({ url: `/listings/api/${path}` })
  expect(seen).toEqual({ search: false, searchAsync: false, getSession: true, getComps: false })
})
