import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { pipeline } from 'node:stream'

const streamMilliseconds = 200

/** A proxy that ends event streams after 200 ms, for clients that read every answer to its end. */
export const proxyEndingStreams = async (origin: string): Promise<AsyncDisposable & { origin: string }> => {
  const agent = new Agent({ keepAlive: true })
  // Large, so that the origin refuses overlong headers.
  const server = createServer({ maxHeaderSize: 1024 * 1024 }, (incoming, response) => {
    const { method, url, headers } = incoming
    const passed = request(new URL(url ?? '/', origin), { method, headers, agent, path: url })
    passed.on('error', () => response.destroy())
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true
      if (!isStream) return pipeline(answer, response, () => undefined)
      answer.on('error', () => undefined).pipe(response)
      setTimeout(() => {
        answer.unpipe(response)
        response.end()
        passed.destroy()
      }, streamMilliseconds)
    })
    pipeline(incoming, passed, () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new TypeError('The proxy must listen on a port.')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}
