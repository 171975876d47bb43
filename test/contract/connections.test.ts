import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serveProbe } from '../probe/serve.ts'
import { waitFor } from '../support/wait-for.ts'

/** Serves the probe behind an edge until the scope ends. */
const serve = async (environment: Record<string, string> = {}) => {
  const served = await serveProbe('in process', environment)
  return { ...served, [Symbol.asyncDispose]: served.close }
}

const open = (origin: string) => {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  return { socket, closed }
}

const studio = 'https://studio.example'

test.each([
  ['429', { RATE_LIMIT: '1' }, 'GET /probe/api/echo/x HTTP/1.1\r\nHost: localhost'],
  ['421', {}, 'GET /probe/api/echo/x HTTP/1.1\r\nHost: evil.example'],
  [
    '408',
    { BODY_IDLE_SECONDS: '1' },
    'POST /probe/api/things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9',
  ],
])(
  'pages of allowed origins, and no others, may read a %s that is answered before the routes',
  async (status, environment, head) => {
    await using served = await serve({ CORS_ORIGINS: studio, ...environment })
    const answerTo = async (origin: string) => {
      const { socket, closed } = open(served.origin)
      socket.write(`${head}\r\nOrigin: ${origin}\r\nConnection: close\r\n\r\n`)
      return await closed
    }
    const sent = async (origin: string) => {
      let text = await answerTo(origin)
      if (status === '429' && !text.includes(' 429 ')) text = await answerTo(origin)
      return text.toLowerCase()
    }
    const allowed = await sent(studio)
    expect(allowed).toMatch(new RegExp(`^http/1.1 ${status} `))
    expect(allowed).toContain(`\r\naccess-control-allow-origin: ${studio}\r\n`)
    expect(allowed).toMatch(/\r\naccess-control-expose-headers: [^\r]*retry-after/)
    expect(allowed).toContain('\r\nvary: origin\r\n')
    const other = await sent('https://evil.example')
    expect(other).not.toContain('access-control-')
  },
)

test('a call is aborted when its request times out', async () => {
  await using served = await serve({ BODY_IDLE_SECONDS: '1' })
  const aborted = Promise.withResolvers<unknown>()
  served.state.whileStarting = (signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted.resolve(signal.reason)
        reject(signal.reason)
      })
    })
  const { socket, closed } = open(served.origin)
  socket.write('GET /probe/api/start HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n')
  expect(await closed).toMatch(/^HTTP\/1.1 408 /)
  expect(await Promise.race([aborted.promise, sleep(5_000, 'not aborted')])).toMatchObject({ name: expect.any(String) })
})

test('an address beyond its stream limit gets 429, and other addresses are not affected', async () => {
  await using served = await serve({ MAX_STREAMS_PER_ADDRESS: '2' })
  const stream = (address: string, controller = new AbortController()) =>
    fetch(`${served.origin}/probe/api/count?to=1&behaviour=forever`, {
      headers: { 'x-forwarded-for': address },
      signal: controller.signal,
    })
  const leaving = new AbortController()
  await stream('192.0.2.1')
  await stream('192.0.2.1', leaving)
  const refused = await stream('192.0.2.1')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(await refused.text()).toContain('MAX_STREAMS_PER_ADDRESS')
  expect((await stream('192.0.2.2')).status).toBe(200)
  // Programs on this machine have no limit.
  for (const _ of [1, 2, 3]) expect((await stream('127.0.0.1')).status).toBe(200)
  leaving.abort()
  await waitFor(async () => expect((await stream('192.0.2.1')).status).toBe(200))
})

test('connections beyond the limit of an address are closed, and a freed slot is reused', async () => {
  await using served = await serve({ MAX_CONNECTIONS_PER_ADDRESS: '2' })
  const [first, second] = [open(served.origin), open(served.origin)]
  await Promise.all([first, second].map(({ socket }) => once(socket, 'connect')))
  const request = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  const third = open(served.origin)
  third.socket.write(request)
  expect(await third.closed).toBe('')
  first.socket.destroy()
  await waitFor(async () => {
    const fourth = open(served.origin)
    fourth.socket.write(request)
    expect(await fourth.closed).toMatch(/^HTTP\/1.1 200 /)
  })
  second.socket.destroy()
})
