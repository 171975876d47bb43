import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request as received. */
export type Received = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

/** Answers one request. It may end the response, leave it open, or destroy its socket. */
export type Answer = (request: Received, response: ServerResponse) => void

/** An HTTP server in place of an API server, whose answers a test scripts. */
export type ScriptedServer = AsyncDisposable & {
  url: string
  /** A kubeconfig, as JSON, for this server. */
  kubeconfig: (token?: string) => string
  /** All requests received, in order. */
  received: Received[]
  /** Number of connections made. */
  connections: () => number
  answer: (answer: Answer) => void
  /** Refuses new connections and breaks open ones until `listen`. */
  refuse: () => Promise<void>
  listen: () => Promise<void>
}

export const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Answers with a `Status` failure, as the API server does. */
export const refuse = (
  response: ServerResponse,
  status: number,
  reason: string,
  headers: Record<string, string> = {},
) => json(response, status, { kind: 'Status', status: 'Failure', code: status, reason, message: reason }, headers)

/** Starts a watch response if needed and writes events; the response stays open. */
export const writeEvents = (response: ServerResponse, ...events: readonly object[]) => {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' })
  response.flushHeaders()
  for (const event of events) response.write(`${JSON.stringify(event)}\n`)
}

export const startScriptedServer = async (): Promise<ScriptedServer> => {
  const sockets = new Set<Socket>()
  const received: Received[] = []
  let connections = 0
  let answer: Answer = (_, response) => refuse(response, 404, 'NotFound')
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      const seen = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }
      received.push(seen)
      answer(seen, response)
    })
  })
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    if (!server.listening) return
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  }
  return {
    url,
    kubeconfig: (token = 'token') =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'test', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'test', user: { token } }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
        'current-context': 'test',
      }),
    received,
    connections: () => connections,
    answer: (next) => {
      answer = next
    },
    refuse: stop,
    listen: async () => {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    [Symbol.asyncDispose]: stop,
  }
}
