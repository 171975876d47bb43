import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Metrics } from './metrics.ts'

/** Serves `GET /metrics` for Prometheus on a port of its own. Rejects when the port cannot be had. */
export const serveMetrics = async (
  metrics: Metrics,
  { host, port }: { host: string; port: number },
): Promise<AsyncDisposable> => {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.render().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  server.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
