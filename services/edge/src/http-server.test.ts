import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createServers } from './http-server.ts'

/** Sends a text and returns the answer up to the end of the connection. */
const exchange = async (port: number, host: string, text: string): Promise<string> => {
  const socket = connect(port, host)
  let answer = ''
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part))
  socket.write(text)
  await once(socket, 'close')
  return answer
}

// Other systems have only one IPv4 loopback address.
test.skipIf(process.platform !== 'linux')(
  'a malformed request gets the same answer on the other addresses of localhost',
  async () => {
    const servers = createServers({
      config: { headersSeconds: 5, keepAliveSeconds: 5, maxConnections: 100 },
      basePath: { strip: (url) => url },
      front: () => undefined,
      bodies: { watch: () => undefined },
      writes: { watch: () => undefined },
      share: { admit: () => true },
      headersOf: () => ({}),
    })
    const main = servers.create((_request, response) => void response.end('served'))
    onTestFinished(() => {
      servers.closeOthers()
      main.close()
      servers.closeAllConnections()
    })
    await once(main.listen(0, '127.0.0.1'), 'listening')
    await servers.listenOnOtherLoopback(main, async () => ['127.0.0.1', '127.0.0.2'])
    const { port } = main.address() as AddressInfo
    const served = await exchange(port, '127.0.0.2', 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(served).toMatch(/^HTTP\/1.1 200 /)
    const broken = await exchange(port, '127.0.0.2', 'this is no HTTP\r\n\r\n')
    expect(broken).toMatch(/^HTTP\/1.1 400 /)
    expect(broken).toContain('\r\n\r\n{"detail":"The request is not valid HTTP."}')
  },
)
