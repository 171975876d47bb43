import { readConfig } from '@trellis/kit/config'
import type { CallOptions } from '@trellis/kit/rpc'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { routes } from '@trellis/protos/edge/routes.ts'
import { expect, test } from 'vitest'
import { edgeConfig } from '../config.ts'
import { createEdge } from '../edge.ts'
import type { AnyClient } from './routes.ts'

/** An edge of the listings routes, whose calls are passed to `onCall`. */
const edgeOf = (onCall: (rpc: string, options: CallOptions) => void) => {
  const methodOf = (rpc: string) => async (_request: unknown, options: CallOptions) => {
    onCall(rpc, options)
    throw new Error('There is no answer.')
  }
  const listings = routes.filter(({ path }) => path.startsWith('/listings/'))
  const names = [...new Set(listings.map(({ service }) => service))]
  const client: AnyClient = Object.fromEntries(listings.map(({ rpc }) => [rpc, methodOf(rpc)]))
  return createEdge({
    config: readConfig(edgeConfig, { TRUSTED_PROXIES: '192.0.2.1' }),
    routes: listings,
    backends: names.map((name) => ({ name, mount: '/listings', heartbeat: '', client })),
    missing: () => ({}),
    log: silentLog,
    metrics: createMetrics({ processMetrics: false }),
  })
}

test('a GET is safe to retry unless it starts a search or a price lookup', async () => {
  const seen: Record<string, boolean | undefined> = {}
  await using edge = await edgeOf((rpc, { isSafe }) => {
    seen[rpc] = isSafe
  })
  for (const path of ['search?q=x', 'search/async?q=x', 'session', 'comps?q=x'])
    await edge.server.inject({ url: `/listings/api/${path}` })
  expect(seen).toEqual({ search: false, searchAsync: false, getSession: true, getComps: false })
})

test.each([
  ['192.0.2.9', {}, '192.0.2.9'],
  ['::ffff:192.0.2.9', {}, '192.0.2.9'],
  ['2001:db8:1:2:3:4:5:6', {}, '2001:db8:1:2::/64'],
  ['192.0.2.9', { 'x-forwarded-for': '203.0.113.5' }, '192.0.2.9'],
  ['192.0.2.1', { 'x-forwarded-for': '203.0.113.5, 203.0.113.6' }, '203.0.113.6'],
  ['127.0.0.1', {}, undefined],
])('limits of services count a call from %s with %j as of the client %s', async (remoteAddress, headers, client) => {
  const seen: (string | undefined)[] = []
  await using edge = await edgeOf((_rpc, options) => seen.push(options.client))
  await edge.server.inject({ url: '/listings/api/search/async?q=x', remoteAddress, headers })
  expect(seen).toEqual([client])
})
