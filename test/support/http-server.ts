import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export type Certificate = { key: string; cert: string }

/** A real server at a free port of this machine, with TLS where it is given a certificate. Its end ends whoever is still connected. */
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

export type Asked = {
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

/** Notes what it is asked, and answers as a test says: `body` as JSON, text as it is. */
export const startHttpServer = async (
  answer: (asked: Asked, number: number) => Answering | Promise<Answering>,
  certificate?: Certificate,
) => {
  const asked: Asked[] = []
  const listener: RequestListener = async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    const { method = '', url = '', headers: came } = request
    const one = { method, url, headers: came, text, body: parse(text) }
    asked.push(one)
    const { status, headers = {}, body = {} } = await answer(one, asked.length)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  return { ...(await listenForTests(listener, certificate)), asked }
}
