import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { Metrics } from './metrics.ts'
import { createMetricsHostRule } from './metrics-hosts.ts'

export type MetricsServerOptions = {
  host: string
  port: number
  /** Names in `Host` that are accepted beside loopback names and addresses. */
  hosts?: readonly string[]
  /** Whether the process can work; default always true. */
  isReady?: () => boolean
}

const sendText = (response: ServerResponse, status: number, text: string) =>
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)

/**
 * Serves the monitoring endpoints of a process on a separate port: `GET /metrics` for Prometheus, `/health` (200 while it runs) and
 * `/ready` (200, or 503 while it cannot work). Rejects when the port cannot be bound.
 */
export const serveMetrics = async (
  metrics: Metrics,
  { host, port, hosts = [], isReady = () => true }: MetricsServerOptions,
): Promise<AsyncDisposable & { port: number }> => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/metrics': (response) =>
      void metrics.render().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      ),
    '/health': (response) => sendText(response, 200, 'ok'),
    '/ready': (response) => (isReady() ? sendText(response, 200, 'ready') : sendText(response, 503, 'not ready yet')),
  }
  const isHostAccepted = createMetricsHostRule([...hosts, host])
  const server = createServer((request, response) => {
    if (!isHostAccepted(request.headers.host))
      return void sendText(
        response,
        421,
        'This port does not serve that host. Use the IP address, or add the name to METRICS_HOSTS.',
      )
    const path = request.url?.split('?')[0] ?? ''
    const answer = request.method === 'GET' && Object.hasOwn(answers, path) ? answers[path] : undefined
    if (answer) answer(response)
    else response.writeHead(404).end()
  })
  server.listen(port, host)
  await once(server, 'listening')
  server.unref()
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
