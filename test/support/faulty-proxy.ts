import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** The fault for a request: none, an answer by the proxy, or a connection that breaks after so many bytes of the answer. */
export type Fault =
  | 'none'
  | { status: number; body?: string; headers?: Record<string, string> }
  | { breakAfter: number }

export type FaultyProxy = AsyncDisposable & {
  url: string
  /** Sets a function that chooses the fault of each request. */
  fail: (decide: (request: IncomingMessage) => Fault) => void
  /** Method and target of the requests so far. */
  seen: () => readonly string[]
}

const pass = (incoming: IncomingMessage, answer: ServerResponse, target: URL, breakAfter: number) => {
  const { method, headers, url } = incoming
  const options = { host: target.hostname, port: target.port, method, path: url, headers }
  const outgoing = request(options, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    let sent = 0
    response.on('data', (chunk: Buffer) => {
      sent += chunk.byteLength
      if (sent >= breakAfter) answer.destroy()
      else answer.write(chunk)
    })
    response.on('end', () => answer.end())
    response.on('error', () => answer.destroy())
  })
  outgoing.on('error', () => answer.destroy())
  incoming.pipe(outgoing)
}

/** Starts an HTTP proxy in front of a server that injects the configured faults. */
export const startFaultyProxy = async (target: string): Promise<FaultyProxy> => {
  let decide: (request: IncomingMessage) => Fault = () => 'none'
  const seen: string[] = []
  const server = createServer((incoming, answer) => {
    seen.push(`${incoming.method} ${incoming.url}`)
    const fault = decide(incoming)
    if (fault === 'none') return pass(incoming, answer, new URL(target), Number.POSITIVE_INFINITY)
    if ('breakAfter' in fault) return pass(incoming, answer, new URL(target), fault.breakAfter)
    incoming.resume().on('end', () => answer.writeHead(fault.status, fault.headers).end(fault.body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    fail: (next) => {
      decide = next
    },
    seen: () => seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
