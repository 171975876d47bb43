import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { issueSession } from '@trellis/kit/credentials'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveProbe } from '../probe/serve.ts'

type Served = Awaited<ReturnType<typeof serveProbe>>
type Answer = { status: number; headers: OutgoingHttpHeaders; body: string }
type Sent = { method?: string; path?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer }

/** Sends a request with arbitrary headers, which `fetch` would restrict. */
const send = (served: Served, { method = 'GET', path = '/health', headers = {}, body }: Sent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(`${served.origin}${path}`, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
    sent.on('error', reject).end(body)
  })

/** Writes to a raw connection and returns everything received until it is closed. */
const exchange = async (served: Served, text: string): Promise<string> => {
  const socket = connect(Number(new URL(served.origin).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part))
  socket.on('error', () => undefined)
  socket.write(text)
  await once(socket, 'close')
  return answer
}

const form = (boundary: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc\r\n--${boundary}--\r\n`

describe('hosts and origins', () => {
  let served: Served
  beforeAll(async () => {
    served = await serveProbe('in process', {
      EDGE_HOSTS: 'box',
      CORS_ORIGINS: 'https://studio.example',
      RATE_LIMIT_SEARCHES: '0',
    })
  })
  afterAll(() => served.close())

  test.each(['evil.example', 'evil.example:8080', 'localhost.evil.example'])(
    'a request to the host %s is 421 with a sentence that names the variable',
    async (host) => {
      for (const path of ['/probe/api/echo/x', '/docs', '/openapi.json', '/nothing']) {
        const { status, body, headers } = await send(served, { path, headers: { host } })
        expect(status, path).toBe(421)
        expect(JSON.parse(body)).toEqual({ detail: expect.stringContaining('EDGE_HOSTS') })
        expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-request-id': expect.any(String) })
      }
    },
  )

  test('X-Forwarded-Host makes no host accepted or rejected', async () => {
    const path = '/probe/api/echo/x'
    const believed = { host: 'evil.example', 'x-forwarded-host': 'localhost' }
    expect((await send(served, { path, headers: believed })).status).toBe(421)
    const ignored = { host: 'localhost', 'x-forwarded-host': 'evil.example' }
    expect((await send(served, { path, headers: ignored })).status).toBe(200)
  })

  test.each(['localhost', 'box:9000', '[::1]', '127.0.0.7:8080', '192.168.1.5:8080'])(
    'a request to the host %s is served',
    async (host) => {
      expect((await send(served, { path: '/probe/api/echo/x', headers: { host } })).status).toBe(200)
    },
  )

  test('liveness and readiness probes are answered for any host', async () => {
    for (const path of ['/health', '/ready'])
      expect((await send(served, { path, headers: { host: 'pod.example' } })).status).toBe(200)
  })

  test('HTTP/1.0 without a host is served; an absolute target counts as a host', async () => {
    expect(await exchange(served, 'GET /probe/api/echo/x HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
    const target = (url: string) => `GET ${url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    expect(await exchange(served, target('http://evil.example/probe/api/echo/x'))).toMatch(/^HTTP\/1.1 421 /)
    expect(await exchange(served, target('http://localhost/probe/api/echo/x'))).toMatch(/^HTTP\/1.1 200 /)
  })

  test.each([
    ['no host', ''],
    ['two hosts', 'Host: localhost\r\nhost: evil.example\r\n'],
    ['the same host twice', 'Host: localhost\r\nHost: localhost\r\n'],
  ])('an HTTP/1.1 request with %s is 400 with a sentence', async (_, hosts) => {
    const answer = await exchange(served, `GET /probe/api/echo/x HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toContain('\r\n\r\n{"detail":"The request must have exactly one Host header."}')
  })

  const changes: Record<string, Sent> = {
    'a JSON body': {
      method: 'POST',
      path: '/probe/api/things',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"x"}',
    },
    'a form with a file': {
      method: 'POST',
      path: '/probe/api/upload',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: form('b'),
    },
    'no body': { method: 'DELETE', path: '/probe/api/things/t1' },
    'a plain body': {
      method: 'POST',
      path: '/probe/api/push',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{}\n',
    },
    'a GET that starts work': { path: '/probe/api/start' },
  }
  const foreign: OutgoingHttpHeaders[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:3000' },
  ]

  test.each(Object.keys(changes))('a page of another site may not send %s', async (name) => {
    const change = changes[name] ?? {}
    for (const headers of foreign) {
      const { status, body } = await send(served, { ...change, headers: { ...change.headers, ...headers } })
      expect([status, JSON.parse(body)]).toEqual([403, { detail: expect.stringContaining('CORS_ORIGINS') }])
    }
  })

  test.each(Object.keys(changes))('our own pages, programs and the origins of a rule may send %s', async (name) => {
    const change = changes[name] ?? {}
    const own = [{}, { origin: served.origin }, { 'sec-fetch-site': 'same-origin', origin: served.origin }]
    const named = { origin: 'https://studio.example', 'sec-fetch-site': 'cross-site' }
    for (const headers of [...own, named]) {
      const { status } = await send(served, { ...change, headers: { ...change.headers, ...headers } })
      expect(status).toBeLessThan(300)
    }
  })

  test('a page of another site may link to a route that only reads', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await send(served, { path: '/probe/api/echo/x', headers })).status).toBe(200)
  })
})

test('the origin of EDGE_URL counts as our own behind a proxy that changes the host', async () => {
  const served = await serveProbe('in process', { EDGE_URL: 'https://trellis.example' })
  const change = (origin: string, host: string) =>
    send(served, { method: 'DELETE', path: '/probe/api/things/t1', headers: { origin, host } })
  expect((await change('https://trellis.example', '127.0.0.1:8080')).status).toBe(204)
  expect((await change('https://trellis.example', 'trellis.example')).status).toBe(204)
  expect((await change('https://other.example', 'trellis.example')).status).toBe(403)
  await served.close()
})

test('a session cookie does not let pages of other sites send changes', async () => {
  const secret = 'a secret of at least thirty-two characters'
  const served = await serveProbe('in process', { CLOUD_MODE: '1', GATEWAY_JWT_SECRET: secret })
  const token = await new SignJWT({ id: 'ann' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(secret))
  const change = (headers: OutgoingHttpHeaders) =>
    send(served, {
      method: 'DELETE',
      path: '/probe/api/things/t1',
      headers: { cookie: `gateway_session=${token}`, ...headers },
    })
  expect((await change({ 'sec-fetch-site': 'same-origin' })).status).toBe(204)
  expect((await change({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await change({ origin: 'https://evil.example' })).status).toBe(403)
  await served.close()
})

test('answers have no CORS headers by default, nor in development outside of music', async () => {
  for (const environment of [{}, { NODE_ENV: 'test' }, { NODE_ENV: 'development' }] as Record<string, string>[]) {
    const served = await serveProbe('in process', environment)
    for (const path of ['/probe/api/echo/x', '/docs', '/openapi.json', '/nothing']) {
      const { headers } = await send(served, { path, headers: { origin: 'https://evil.example' } })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
    await served.close()
  }
})

describe('limits of a caller', () => {
  let served: Served
  beforeAll(async () => {
    served = await serveProbe('in process', {
      RATE_LIMIT: '300',
      RATE_LIMIT_SEARCHES: '20',
      RATE_LIMIT_FAILED_CREDENTIALS: '5',
      MAX_UPLOADS_PER_CALLER: '2',
      SERVICE_API_KEY: 'the-key',
    })
  })
  afterAll(() => served.close())

  /** Sends a request as the caller at an address, by the X-Forwarded-For header of a local proxy. */
  const as = (address: string, sent: Sent) =>
    send(served, { ...sent, headers: { 'x-forwarded-for': address, ...sent.headers } })
  const statuses = async (count: number, one: () => Promise<Answer>) => {
    const answers = await Promise.all(Array.from({ length: count }, one))
    return answers.map(({ status }) => status)
  }

  test('20 of 60 concurrent searches are accepted and the rest get 429 with Retry-After', async () => {
    const start = () => as('192.0.2.1', { path: '/probe/api/start' })
    const all = await statuses(60, start)
    expect(all.filter((status) => status === 200)).toHaveLength(20)
    expect(all.filter((status) => status === 429)).toHaveLength(40)
    const refused = await start()
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused.body).toContain('RATE_LIMIT_SEARCHES')
    expect((await as('192.0.2.1', { path: '/probe/api/echo/x' })).status).toBe(200)
    expect((await as('192.0.2.2', { path: '/probe/api/start' })).status).toBe(200)
  })

  test('each address has its own limit for all requests except probes', async () => {
    const all = await statuses(400, () => as('192.0.2.3', { path: '/nothing' }))
    const accepted = all.filter((status) => status === 404).length
    expect(accepted).toBeGreaterThanOrEqual(300)
    expect(all.filter((status) => status === 429)).toHaveLength(400 - accepted)
    expect(all).toContain(429)
    expect((await as('192.0.2.3', { path: '/health' })).status).toBe(200)
    expect((await as('192.0.2.4', { path: '/nothing' })).status).toBe(404)
  })

  test('wrong keys are limited, but a known right key and requests without a key are not', async () => {
    const read = (authorization?: string) =>
      as('192.0.2.5', { path: '/probe/api/guarded', headers: authorization ? { authorization } : {} })
    expect((await read('Bearer the-key')).status).toBe(200)
    const guesses = await statuses(12, () => read('Bearer a-guess'))
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429, 429, 429, 429])
    const refused = await read('Bearer another-guess')
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await read('Bearer the-key')).status).toBe(200)
    expect((await read()).status).toBe(401)
  })

  test('credentials that a route does not check never count as right for other routes', async () => {
    // The route compares none of these credentials, so they do not count as right.
    const carried = { 'x-admin-key': 'carried', cookie: 'logs_session=carried' }
    expect((await as('192.0.2.8', { path: '/probe/api/echo/x', headers: carried })).status).toBe(200)
    const guess = () =>
      as('192.0.2.8', { path: '/probe/api/guarded', headers: { ...carried, authorization: 'Bearer guess' } })
    expect(await statuses(7, guess)).toEqual([401, 401, 401, 401, 401, 429, 429])
    // A credential that the route does not compare is not a guess.
    const bare = { path: '/probe/api/guarded', headers: { 'x-admin-key': 'carried' } }
    expect((await as('192.0.2.8', bare)).status).toBe(401)
  })

  test('a session counts as a credential', async () => {
    const read = (cookie: string) => as('192.0.2.6', { path: '/probe/api/guarded', headers: { cookie } })
    const right = `logs_session=${issueSession('the-key', Date.now())}`
    expect((await read(right)).status).toBe(200)
    expect(await statuses(7, () => read('logs_session=1.2'))).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect((await read(right)).status).toBe(200)
  })

  test('concurrent uploads are limited, and a finished one frees its slot', async () => {
    const headers = {
      'content-type': 'application/x-ndjson',
      'transfer-encoding': 'chunked',
      'x-forwarded-for': '192.0.2.7',
    }
    const begin = () => {
      const sent = request(`${served.origin}/probe/api/push`, { method: 'POST', headers })
      sent.write('{}\n')
      const answered = once(sent, 'response').then(([response]) => {
        response.resume()
        return response.statusCode as number
      })
      return { sent, answered }
    }
    const first = [begin(), begin()]
    const one = { method: 'POST', path: '/probe/api/push', headers, body: '{}\n' }
    let refused = await send(served, one)
    while (refused.status === 200) refused = await send(served, one)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    for (const { sent } of first) sent.end()
    for (const { answered } of first) expect(await answered).toBe(200)
    expect((await send(served, one)).status).toBe(200)
  })
})

test('an upload whose client left during the licence lookup takes no slot', async () => {
  // A slow licensing service.
  const licences = createServer((_request, response) => {
    setTimeout(() => response.setHeader('content-type', 'application/json').end('{"tier":"free"}'), 500)
  })
  await once(licences.listen(0, '127.0.0.1'), 'listening')
  const secret = 'a-secret-of-the-gateway-0123456789'
  const served = await serveProbe('in process', {
    CLOUD_MODE: '1',
    GATEWAY_JWT_SECRET: secret,
    LICENSE_URL: `http://127.0.0.1:${(licences.address() as AddressInfo).port}`,
    LICENSE_TOKEN: 'token',
    MAX_UPLOADS_PER_CALLER: '2',
  })
  try {
    const token = await new SignJWT({ id: 'ann' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret))
    const headers = { 'content-type': 'application/x-ndjson', cookie: `gateway_session=${token}` }
    for (const _ of [1, 2, 3]) {
      const sent = request(`${served.origin}/probe/api/push`, { method: 'POST', headers })
      sent.on('error', () => undefined).write('{}\n')
      await sleep(150)
      sent.destroy()
    }
    await sleep(1_500)
    const one = { method: 'POST', path: '/probe/api/push', headers, body: '{}\n' }
    expect((await send(served, one)).status).toBe(200)
  } finally {
    await served.close()
    licences.close()
  }
})

describe.concurrent('slow clients', () => {
  let served: Served
  beforeAll(async () => {
    served = await serveProbe('in process', {
      BODY_IDLE_SECONDS: '1',
      BODY_MIN_BYTES_PER_SECOND: '100',
      HEADERS_TIMEOUT_SECONDS: '1',
    })
  })
  afterAll(() => served.close())

  /** Sends the head of a request, then `byte` every 300 ms until the connection is closed. */
  const trickle = async (head: string, byte: string): Promise<string> => {
    const socket = connect(Number(new URL(served.origin).port), '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8').on('data', (part: string) => (answer += part))
    socket.on('error', () => undefined)
    socket.write(head)
    const timer = byte === '' ? undefined : setInterval(() => socket.write(byte), 300)
    // Not `once` of node:events, which would reject with the error of a write to a closed connection.
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(timer)
    return answer
  }
  const head = (path: string, type: string, length: string) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`
  const bodies: [string, string, string][] = [
    ['a declared JSON body', head('/probe/api/things', 'application/json', 'Content-Length: 100000'), '{'],
    ['a chunked body', head('/probe/api/push', 'application/x-ndjson', 'Transfer-Encoding: chunked'), '1\r\nx\r\n'],
    ['a form', head('/probe/api/upload', 'multipart/form-data; boundary=b', 'Content-Length: 900'), '-'],
    ['an unexpected body', head('/nothing', 'application/json', 'Content-Length: 900'), '-'],
  ]

  test.each(bodies)('%s that never arrives gets 408 or 404', async (_name, text) => {
    expect(await trickle(text, '')).toMatch(/^HTTP\/1.1 (408|404) /)
  })

  test.each(bodies)('%s that trickles gets 408 or 404', async (_name, text, byte) => {
    expect(await trickle(text, byte)).toMatch(/^HTTP\/1.1 (408|404) /)
  })

  test('200 trickling bodies all get 408', async () => {
    const [, text, byte] = bodies[0] ?? ['', '', '']
    const answers = await Promise.all(Array.from({ length: 200 }, () => trickle(text, byte)))
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 408 '))).toHaveLength(200)
  })

  test('endless headers and silent connections are closed', async () => {
    expect(await trickle('GET / HTTP/1.1\r\nHost: localhost\r\n', 'X-A: b\r\n')).toMatch(/^HTTP\/1.1 408 /)
    expect(await trickle('', '')).toMatch(/^(HTTP\/1.1 408 |$)/)
  })

  test('a body that arrives in time is accepted', async () => {
    const body = Buffer.alloc(4_000_000, '{}\n')
    const taken = await send(served, {
      method: 'POST',
      path: '/probe/api/push',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    })
    expect(taken.status).toBe(200)
  })
})
