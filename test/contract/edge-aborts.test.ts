import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { serveProbe, type Transport, transports } from '../probe/serve.ts'
import { waitFor } from '../support/wait-for.ts'

type Served = Awaited<ReturnType<typeof serveProbe>>

const bodyBytes = 400_000

const form = {
  path: '/probe/api/upload',
  type: 'multipart/form-data; boundary=b',
  start: '--b\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n',
}
const plain = { path: '/probe/api/push', type: 'application/x-ndjson', start: '' }
const bodies = { form, plain }

const leaving: Record<string, (socket: Socket) => void> = {
  'resets its connection': (socket) => void socket.resetAndDestroy(),
  'closes its connection': (socket) => void socket.destroy(),
  'ends its side of the connection': (socket) => void socket.end(),
}

describe.each(transports)('an upload to a service %s', (transport: Transport) => {
  let served: Served
  beforeAll(async () => {
    served = await serveProbe(transport)
  })
  afterAll(() => served.close())
  beforeEach(() => {
    served.state.aborted.length = 0
    served.state.uploading = 0
    served.state.beforeUpload = undefined
  })

  /** Sends the head and the start of a body, either with a content-length or chunked. */
  const sendStart = async ({ path, type, start }: typeof form, { isChunked = false, bytes = bodyBytes / 2 } = {}) => {
    const socket = createConnection(Number(new URL(served.origin).port), '127.0.0.1')
    socket.on('error', () => undefined).resume()
    await once(socket, 'connect')
    const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${bodyBytes}`
    socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\n${length}\r\n\r\n`)
    if (isChunked) socket.write(`${(start.length + bodyBytes).toString(16)}\r\n`)
    socket.write(start)
    socket.write(Buffer.alloc(bytes, 'x'))
    return socket
  }

  const openConnections = () =>
    new Promise<number>((resolve, reject) =>
      served.edge.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )

  const cases = Object.entries(bodies).flatMap(([kind, body]) =>
    [false, true].flatMap((isChunked) =>
      Object.entries(leaving).map(
        ([how, leave]) => [`${isChunked ? 'chunked' : 'sized'} ${kind}`, how, body, isChunked, leave] as const,
      ),
    ),
  )

  test.each(cases)('the handler of a %s fails when the client %s', async (_kind, _how, body, isChunked, leave) => {
    const socket = await sendStart(body, { isChunked })
    await waitFor(() => expect(served.state.uploading).toBe(1))
    leave(socket)
    await waitFor(() => expect(served.state.aborted).toHaveLength(1))
    expect(served.state.uploading).toBe(0)
  })

  test.each(Object.entries(bodies))(
    'the handler of a %s fails even if it starts reading after the client left',
    async (_kind, body) => {
      const gate = Promise.withResolvers<void>()
      served.state.beforeUpload = () => gate.promise
      // Few enough bytes that the server still reads from the connection and notices its end.
      const socket = await sendStart(body, { bytes: 100 })
      await waitFor(() => expect(served.state.uploading).toBe(1))
      socket.resetAndDestroy()
      await waitFor(async () => expect(await openConnections()).toBe(0))
      gate.resolve()
      await waitFor(() => expect(served.state.aborted).toHaveLength(1))
      expect(served.state.uploading).toBe(0)
    },
  )
})

test.each(transports)('the handler of an upload that arrives too slowly fails in a service %s', async (transport) => {
  const served = await serveProbe(transport, { BODY_IDLE_SECONDS: '1' })
  const sizes = { [form.path]: 'content-length: 900', [plain.path]: 'transfer-encoding: chunked' }
  for (const { path, type, start } of [form, plain]) {
    const socket = createConnection(Number(new URL(served.origin).port), '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8').on('data', (part: string) => (answer += part))
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\n${sizes[path]}\r\n\r\n`
    socket.write(`${head}${path === form.path ? start : '1\r\nx\r\n'}`)
    await once(socket, 'close')
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
  }
  await waitFor(() => expect(served.state.aborted).toHaveLength(2))
  expect(served.state.uploading).toBe(0)
  await served.close()
})
