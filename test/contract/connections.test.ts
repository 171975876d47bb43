import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serveProbe } from '../probe/serve.ts'

/** The probe behind an edge, which ends with the scope. */
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
  'a page of an allowed origin may read a %s that is answered ahead of the routes, and no other page',
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

test('a call whose request is given up is aborted', async () => {
  await using served = await serve({ BODY_IDLE_SECONDS: '1' })
  const aborted = Promise.withResolvers<unknown>()
  served.world.whileStarting = (signal) =>
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
