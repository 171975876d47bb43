import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveProbe, transports } from '../probe/serve.ts'
import { waitFor } from '../support/wait-for.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** More than the buffers of both sides hold. */
const size = 40_000_000
const large = {
  'a file': get(`/probe/api/download?size=${size}`),
  'a JSON answer': post(
    '/probe/api/things',
    JSON.stringify({ name: 'large', parts: [{ name: 'x'.repeat(9_000_000) }, { name: 'y' }] }),
  ),
}

describe.each([transports[0], transports[1]])('unread answers, %s', (transport) => {
  let served: Awaited<ReturnType<typeof serveProbe>>
  beforeAll(async () => {
    served = await serveProbe(transport, { RESPONSE_IDLE_SECONDS: '1' })
  })
  afterAll(() => served.close())

  const open = (request: string, { origin } = served) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(request)
    return socket
  }
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      served.edge.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
    })
  const allClosed = () => waitFor(async () => expect(await connections()).toBe(0), { interval: 100 })

  test.each(Object.entries(large))('the connection of %s is closed', async (_, request) => {
    await allClosed()
    const sockets = Array.from({ length: 5 }, () => open(request))
    // All answers have started; the unread rest fills the buffers.
    await Promise.all(sockets.map((socket) => once(socket, 'readable')))
    await allClosed()
    for (const socket of sockets) socket.destroy()
  })

  test('a slow reader gets the complete answer, and an idle event stream stays open', async () => {
    // Long enough that a busy machine reads again before the timeout.
    const patient = await serveProbe(transport, { RESPONSE_IDLE_SECONDS: '4' })
    const waiting = open(get('/probe/api/count?behaviour=follow'), patient)
    let waitingIsClosed = false
    waiting.on('close', () => {
      waitingIsClosed = true
    })
    waiting.resume()
    const socket = open(get(`/probe/api/download?size=${size}`), patient)
    let read = 0
    for await (const chunk of socket) {
      read += chunk.length
      if (read >= size) break
      // Ten pauses, in total longer than the idle timeout.
      if (Math.floor(read / 4_000_000) > Math.floor((read - chunk.length) / 4_000_000)) await sleep(500)
    }
    expect(read).toBeGreaterThanOrEqual(size)
    expect(waitingIsClosed).toBe(false)
    waiting.destroy()
    await patient.close()
  })
})
