import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { Metrics } from './metrics.ts'
import { createMetricsHostRule } from './metrics-hosts.ts'

/** Returns a sentence for each problem; empty if there are none. */
export type Check = () => readonly string[]

export type HealthServerOptions = {
  readonly host: string
  readonly port: number
  /** Names in `Host` that are accepted beside loopback names and addresses. */
  readonly hosts?: readonly string[]
  /** Checks by path. */
  readonly checks: Readonly<Record<string, Check>>
  /** Served at `/metrics`. */
  readonly metrics?: Metrics
}

export type HealthServer = AsyncDisposable & { readonly port: number }

/** The checks of a process: `/health` succeeds while it runs, `/ready` while it can work. */
export const processChecks = (isReady: () => boolean): HealthServerOptions['checks'] => ({
  '/health': () => [],
  '/ready': () => (isReady() ? [] : ['not ready yet']),
})

const sendText = (response: ServerResponse, status: number, lines: readonly string[]) =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${lines.join('\n')}\n`)

/**
 * Serves the monitoring endpoints of a process on a separate port: checks, which respond 200 `ok`, or 503 with one problem per line, and
 * metrics for Prometheus. Rejects when the port cannot be bound; port 0 picks a free one.
 */
export const serveHealth = async ({
  host,
  port,
  hosts = [],
  checks,
  metrics,
}: HealthServerOptions): Promise<HealthServer> => {
  const isHostAccepted = createMetricsHostRule([...hosts, host])
  const sendMetrics = (response: ServerResponse, { render, contentType }: Metrics) =>
    void render().then(
      (text) => response.writeHead(200, { 'content-type': contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  const server = createServer((request, response) => {
    if (!isHostAccepted(request.headers.host))
      return sendText(response, 421, [
        'This port does not serve that host. Use the IP address, or add the name to METRICS_HOSTS.',
      ])
    if (request.method !== 'GET') return void response.writeHead(405).end()
    const path = request.url?.split('?')[0] ?? ''
    const check = Object.hasOwn(checks, path) ? checks[path] : undefined
    if (check) {
      const problems = check()
      return problems.length === 0 ? sendText(response, 200, ['ok']) : sendText(response, 503, problems)
    }
    if (path === '/metrics' && metrics) return sendMetrics(response, metrics)
    response.writeHead(404).end()
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
