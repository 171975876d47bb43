import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export type Certificate = { key: string; cert: string }

/** A real server at a free loopback port, with TLS if a certificate is passed. Disposal closes all connections. */
export const listenForTests = async (listener: RequestListener, certificate?: Certificate) => {
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http${certificate ? 's' : ''}://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type RecordedRequest = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  text: string
  body: Record<string, unknown>
}
export type Answering = { status: number; headers?: Record<string, string>; body?: unknown }

const parse = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Records requests and answers as the test decides: text as it is, anything else as JSON. */
export const startHttpServer = async (
  answer: (request: RecordedRequest, number: number) => Answering | Promise<Answering>,
  certificate?: Certificate,
) => {
  const requests: RecordedRequest[] = []
  const listener: RequestListener = async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    const { method = '', url = '', headers: came } = request
    const one = { method, url, headers: came, text, body: parse(text) }
    requests.push(one)
    const { status, headers = {}, body = {} } = await answer(one, requests.length)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  return { ...(await listenForTests(listener, certificate)), requests }
}
