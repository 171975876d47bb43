import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from '@trellis/kit/telemetry'

/** Returns a sentence for each problem; empty if healthy. */
export type Check = () => readonly string[]

export type HealthServer = AsyncDisposable & { port: number }

/**
 * Serves `/healthz` (problems that a restart would fix), `/readyz` (whether the process can serve) and, if metrics are
 * passed, `/metrics`. Responds 200 `ok`, or 503 with one problem a line. Rejects if the port is unavailable; port 0
 * picks a free one.
 */
export const serveHealth = async ({
  host,
  port,
  live,
  ready,
  metrics,
}: {
  host: string
  port: number
  live: Check
  ready: Check
  metrics?: Metrics
}): Promise<HealthServer> => {
  const checks = new Map<string, Check>([
    ['/healthz', live],
    ['/readyz', ready],
  ])
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    const check = checks.get(path)
    if (request.method !== 'GET') response.writeHead(405).end()
    else if (check) {
      const wrong = check()
      response.writeHead(wrong.length === 0 ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' })
      response.end(wrong.length === 0 ? 'ok\n' : `${wrong.join('\n')}\n`)
    } else if (path === '/metrics' && metrics) {
      metrics.render().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      )
    } else response.writeHead(404).end()
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
