import { request } from 'node:http'
import { expect, test } from 'vitest'
import { createMetrics, processChecks, serveHealth } from './mod.ts'

const statusFor = (port: number, host: string, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })

const serve = () =>
  serveHealth({
    metrics: createMetrics({ processMetrics: false }),
    checks: processChecks(() => true),
    host: '127.0.0.1',
    port: 0,
    hosts: ['trellis.example', '*.monitoring.svc'],
  })

test.each(['evil.example', 'localhost.evil.example', 'evil.example:9090', 'monitoring.svc', 'a b'])(
  'metrics are not served for the host %s, which may be a rebound name',
  async (host) => {
    await using server = await serve()
    for (const path of ['/metrics', '/health', '/ready'])
      expect(await statusFor(server.port, host, path), path).toBe(421)
  },
)

test.each([
  'localhost:9090',
  'trellis.localhost',
  '127.0.0.1',
  '10.42.0.17:9090',
  '[fd00::17]:9090',
  'Trellis.example.',
  'edge.monitoring.svc:9090',
])('metrics are served for the host %s', async (host) => {
  await using server = await serve()
  expect(await statusFor(server.port, host, '/metrics')).toBe(200)
})
