import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

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

/** A real HTTP server that notes what it is asked, and answers as a test says. An answer that is text is sent as it is. */
export const startHttpServer = async (answer: (asked: Asked, number: number) => Answering | Promise<Answering>) => {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString()
    const one = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      text,
      body: parse(text),
    }
    asked.push(one)
    const { status, headers = {}, body = {} } = await answer(one, asked.length)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
