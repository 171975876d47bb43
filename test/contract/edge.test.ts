import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createConnection } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveProbe, type Transport, transports } from '../probe/serve.ts'
import { waitFor } from '../support/wait-for.ts'

type Served = Awaited<ReturnType<typeof serveProbe>>

const json = (body: unknown, method = 'POST') => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

describe.each(transports)('the edge before a service %s', (transport: Transport) => {
  let served: Served
  const get = (path: string, init?: RequestInit) => fetch(`${served.origin}${path}`, init)
  const detail = async (response: Response): Promise<unknown> => ((await response.json()) as { detail: unknown }).detail

  beforeAll(async () => {
    served = await serveProbe(transport)
  })
  afterAll(() => served.close())

  test('path, query and header values are read, and answers use snake case with null for absent values', async () => {
    const response = await get('/probe/api/echo/a%2Fb?limit=7&ratio=0.5&force=1&tags=x&tags=y&colour=dark-blue', {
      headers: { 'x-probe': 'seen', 'x-request-id': 'request-0001' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toBe('request-0001')
    expect(await response.json()).toEqual({
      id: 'a/b',
      limit: 7,
      ratio: 0.5,
      force: true,
      tags: ['x', 'y'],
      colour: 'dark-blue',
      header_value: 'seen',
      user_id: 'local',
      tier: 'local',
      request_id: 'request-0001',
      counts: { one: 1 },
      nothing: null,
      free: { a: [1, null] },
      pages: 1,
    })
  })

  test('a number of more than 32 bits is refused where the service does not clamp it', async () => {
    const response = await get('/probe/api/count?to=4294967296')
    expect([response.status, await detail(response)]).toEqual([
      422,
      [{ loc: ['query', 'to'], msg: expect.stringContaining('at most 32 bits'), type: 'format' }],
    ])
  })

  test.each([
    ['7', 7],
    ['4294967296', 2_147_483_647],
    ['1e30', 2_147_483_647],
    ['-99999999999999999999', -2_147_483_648],
  ])('a field that its service clamps takes the number %s as %i', async (sent, received) => {
    const response = await get(`/probe/api/echo/x?pages=${sent}`)
    expect(await response.json()).toMatchObject({ pages: received })
  })

  test('empty and absent parameters get their defaults', async () => {
    const body = await (await get('/probe/api/echo/x?limit=&colour=')).json()
    expect(body).toMatchObject({ limit: 50, ratio: null, force: null, tags: [], colour: null, header_value: null })
  })

  test.each([
    ['limit=0', [{ loc: ['query', 'limit'], msg: 'must be at least 1', type: 'minimum' }]],
    ['limit=ten', [{ loc: ['query', 'limit'], msg: 'must be a whole number from 1 to 1000', type: 'type' }]],
    ['colour=green', [{ loc: ['query', 'colour'], msg: 'must be one of red, dark-blue', type: 'enum' }]],
    [
      'nope=1',
      [
        {
          loc: ['query', 'nope'],
          msg: expect.stringMatching(/^is unknown; known are .*limit/),
          type: 'additionalProperties',
        },
      ],
    ],
    ['limit=1&limit=2', [{ loc: ['query', 'limit'], msg: expect.stringContaining('more than once'), type: 'type' }]],
  ])('the query %s is refused with 422 and the location', async (query, expected) => {
    const response = await get(`/probe/api/echo/x?${query}`)
    expect(response.status).toBe(422)
    expect(await detail(response)).toEqual(expected)
  })

  test('a POST answers 201 with headers of the service and the parsed body', async () => {
    const response = await get(
      '/probe/api/things',
      json({ name: 'ä', size: 12345678901, colour: 'red', parts: [{ name: 'p', weight: null }] }),
    )
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe('/probe/api/things/t1')
    expect(response.headers.get('set-cookie')).toBe('a=1; Path=/probe')
    expect(await response.json()).toEqual({
      id: 't1',
      name: 'ä',
      size: 12345678901,
      colour: 'red',
      parts: [{ name: 'p', weight: null }],
    })
  })

  test.each([
    [{}, [['body', 'name']]],
    [{ name: '' }, [['body', 'name']]],
    [{ name: 5 }, [['body', 'name']]],
    [{ name: 'x', nmae: 'y' }, [['body', 'nmae']]],
    [{ name: 'x', size: -1 }, [['body', 'size']]],
    [{ name: 'x', size: '1' }, [['body', 'size']]],
    [{ name: 'x', parts: [{ name: 'a' }, {}, { name: '' }] }, [['body', 'parts', 2, 'name']]],
    [{ name: 'x', parts: [1, 2, 3, 4].map(() => ({ name: 'a' })) }, [['body', 'parts']]],
  ])('the body %j is refused with 422', async (body, locations) => {
    const response = await get('/probe/api/things', json(body))
    expect(response.status).toBe(422)
    expect(((await detail(response)) as { loc: unknown }[]).map(({ loc }) => loc)).toEqual(locations)
  })

  test.each([
    ['{"name":', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['"x"', 'application/json', 400],
    ['name=x', 'application/x-www-form-urlencoded', 415],
    ['{"name":"x"}', 'text/plain', 415],
  ])('the malformed body %s as %s gets %i with a sentence', async (body, type, status) => {
    const response = await get('/probe/api/things', { method: 'POST', headers: { 'content-type': type }, body })
    expect(response.status).toBe(status)
    expect(await detail(response)).toMatch(/\w+ .*\./)
  })

  test.each([
    ['things', 'application/json', '{"name":"x"}'],
    ['things', 'application/json', '{"name":'],
    ['upload', 'multipart/form-data; boundary=x', '--x--\r\n'],
    ['push', 'application/x-ndjson', '{"a":1}\n'],
  ])('a compressed body is refused with 415 by /%s, which reads no Content-Encoding', async (route, type, text) => {
    for (const encoding of ['gzip', 'br', 'zstd', 'GZIP, br']) {
      const headers = { 'content-type': type, 'content-encoding': encoding }
      const response = await get(`/probe/api/${route}`, { method: 'POST', headers, body: gzipSync(text) })
      expect([response.status, await detail(response)]).toEqual([415, expect.stringContaining('uncompressed')])
      expect(response.headers.get('accept-encoding')).toBe('identity')
    }
    const plain = { 'content-type': type, 'content-encoding': 'identity' }
    expect((await get(`/probe/api/${route}`, { method: 'POST', headers: plain, body: text })).status).not.toBe(415)
  })

  test.each([
    ['utf-16', 415],
    ['"UTF-16LE"', 415],
    ['iso-8859-1', 415],
    ['utf-8', undefined],
    ['"UTF-8"', undefined],
    ['us-ascii', undefined],
  ])('a body with the charset %s is answered %s: it is read as UTF-8', async (charset, refused) => {
    for (const [path, type] of [
      ['things', 'application/json'],
      ['push', 'application/x-ndjson'],
    ]) {
      const headers = { 'content-type': `${type}; charset=${charset}` }
      const response = await get(`/probe/api/${path}`, { method: 'POST', headers, body: '{"name":"x"}' })
      if (refused === undefined) expect(response.ok, path).toBe(true)
      else expect([response.status, await detail(response)], path).toEqual([415, expect.stringContaining('UTF-8')])
    }
  })

  test('a PATCH distinguishes an explicit null from an absent key', async () => {
    const response = await get('/probe/api/things/t1', json({ name: null, size: 3 }, 'PATCH'))
    expect(await response.json()).toEqual({ set: ['size'], cleared: ['name'] })
    expect(await (await get('/probe/api/things/t1', json({}, 'PATCH'))).json()).toEqual({ set: [], cleared: [] })
  })

  test.each([
    ['', 'application/json'],
    ['{}', 'application/json'],
    ['', 'application/x-www-form-urlencoded'],
  ])('a route without a body accepts "%s" as %s', async (body, type) => {
    const headers = { 'content-type': type }
    expect((await get('/probe/api/things/t1', { method: 'DELETE', headers, body })).status).toBe(204)
  })

  test('an empty body with a JSON content type is read like {}: fields that are required are missing, others have their defaults', async () => {
    const headers = { 'content-type': 'application/json' }
    const response = await get('/probe/api/things', { method: 'POST', headers, body: '' })
    expect(response.status).toBe(422)
    expect(((await detail(response)) as { loc: unknown }[]).map(({ loc }) => loc)).toEqual([['body', 'name']])
    const unchanged = await get('/probe/api/things/t1', { method: 'PATCH', headers, body: '' })
    expect([unchanged.status, await unchanged.json()]).toEqual([200, { set: [], cleared: [] }])
  })

  test('a DELETE answers 204 without a body, 404 for the unknown', async () => {
    const done = await get('/probe/api/things/t1', { method: 'DELETE' })
    expect([done.status, await done.text()]).toEqual([204, ''])
    expect((await get('/probe/api/things/unknown', { method: 'DELETE' })).status).toBe(404)
  })

  test.each([
    ['payment_required', 402],
    ['forbidden', 403],
    ['not_found', 404],
    ['conflict', 409],
    ['precondition_failed', 412],
    ['rate_limited', 429],
    ['upstream_failed', 502],
    ['unavailable', 503],
    ['upstream_timeout', 504],
  ])('a failure %s arrives as %i with its text and headers', async (kind, status) => {
    const response = await get(`/probe/api/fail?kind=${kind}&detail=gr%C3%BCn`)
    expect([response.status, response.headers.get('retry-after'), response.headers.get('x-why')]).toEqual([
      status,
      '2',
      'requested',
    ])
    expect(await detail(response)).toEqual(
      status === 422 ? [{ loc: ['query'], msg: 'grün', type: 'value_error' }] : 'grün',
    )
  })

  test('an unexpected error is a 500 that does not reveal its message', async () => {
    const response = await get('/probe/api/fail')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret')
  })

  test('an unknown path is 404 even with an invalid body, and a repeated parameter is 422', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await get('/probe/api/nothing', { method: 'POST', headers, body: '{bad' })).status).toBe(404)
    const twice = await get('/probe/api/count?to=1&to=2')
    expect([twice.status, await detail(twice)]).toEqual([
      422,
      [expect.objectContaining({ loc: ['query', 'to'], msg: expect.stringContaining('more than once') })],
    ])
  })

  test.each(['null', '[]', '1', '"x"'])('a body that is the JSON value %s is 400', async (body) => {
    const response = await get('/probe/api/things', { ...json({}), body })
    expect(response.status).toBe(400)
    expect(await detail(response)).toBe('The body must be a JSON object.')
  })

  test('a body that is not UTF-8 is 400: it would be stored with other characters', async () => {
    const latin = Buffer.from('{"name":"gr\xfcn"}', 'latin1')
    const response = await get('/probe/api/things', { ...json({}), body: latin })
    expect(response.status).toBe(400)
    expect(await detail(response)).toContain('UTF-8')
    expect((await get('/probe/api/things', { ...json({}), body: '{"name":"grün"}' })).status).toBe(201)
  })

  test.each([
    ['%ff%fe', 400],
    ['gr%FCn', 400],
    ['%ED%A0%80', 400],
    ['gr%C3%BCn+%E2%82%AC%F0%9F%98%80', 200],
    ['100%25', 200],
  ])('a query with %s, of which only UTF-8 is read, is %s', async (filter, status) => {
    const response = await get(`/probe/api/echo/x?tags=${filter}`)
    expect(response.status).toBe(status)
    if (status === 400) expect(await detail(response)).toContain('The query is not valid UTF-8')
  })

  test('a page or a document that is changed is 405 with Allow, not unknown', async () => {
    for (const path of ['/health', '/ready', '/openapi.json', '/probe/openapi.json', '/docs', '/home', '/']) {
      const answer = await get(path, json({}))
      expect([answer.status, answer.headers.get('allow')], path).toEqual([405, 'GET, HEAD'])
    }
    expect((await get('/nothing', json({}))).status).toBe(404)
  })

  test('a request with an unknown expectation is answered', async () => {
    const requested = request(`${served.origin}/health`, { headers: { expect: 'a-miracle' } }).end()
    const [answer] = (await once(requested, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(200)
  })

  test('methods that browsers do not send, such as TRACE and QUERY, are 405 with Allow', async () => {
    for (const method of ['TRACE', 'QUERY']) {
      const requested = request(`${served.origin}/probe/api/echo/x`, { method }).end()
      const [answer] = (await once(requested, 'response')) as [IncomingMessage]
      answer.resume()
      expect(answer.statusCode, method).toBe(405)
      expect(answer.headers.allow, method).toBe('GET, HEAD')
    }
  })

  test('a method that a path does not support is 405 for any body type', async () => {
    const headers = { 'content-type': 'application/xml' }
    expect((await get('/probe/api/things', { method: 'PUT', headers, body: '<x/>' })).status).toBe(405)
  })

  test('an unknown path is 404, another method 405 with Allow, a broken escape 400', async () => {
    expect((await get('/probe/api/nothing')).status).toBe(404)
    const wrong = await get('/probe/api/things', { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await get('/probe/api/echo/%E0%A4%A')).status).toBe(400)
  })

  test('an overlong id is 404, and malformed HTTP is 400', async () => {
    expect((await get(`/probe/api/things/${'x'.repeat(2_000)}`, { method: 'DELETE' })).status).toBe(404)
    const socket = createConnection(Number(new URL(served.origin).port), '127.0.0.1')
    socket.write('GET / NONSENSE\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1.1 400 [\s\S]*\{"detail":"The request is not valid HTTP."\}$/)
    expect(answer.toString()).toMatch(/\r\nx-request-id: [0-9a-z-]{20,}\r\n/)
    socket.destroy()
  })

  test('an event stream has exact names, ids and headers', async () => {
    const response = await get('/probe/api/count?to=2')
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('cache-control')).toContain('no-cache')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(await response.text()).toBe(
      'id: 1\nevent: counted\ndata: {"number":1}\n\nid: 2\nevent: counted\ndata: {"number":2}\n\n' +
        'event: spelled-out\ndata: {"number":2}\n\nevent: done\ndata: {}\n\n',
    )
  })

  test('Last-Event-ID resumes a stream, as a header or as a parameter', async () => {
    for (const response of [
      await get('/probe/api/count?to=3', { headers: { 'last-event-id': '2' } }),
      await get('/probe/api/count?to=3&last_event_id=2'),
    ]) {
      expect((await response.text()).match(/^id: .*$/gm)).toEqual(['id: 3'])
    }
  })

  test('a stream that fails at once is a plain error, and one that fails later sends a failed event', async () => {
    expect((await get('/probe/api/count?behaviour=not_found')).status).toBe(404)
    const late = await get('/probe/api/count?to=1&behaviour=late')
    expect(late.status).toBe(200)
    expect(await late.text()).toContain('event: failed\ndata: {"status":502,"detail":"The abacus broke."}\n\n')
  })

  test('the rpc ends promptly when the client leaves its stream', async () => {
    const before = served.state.streamsEnded
    const leaving = new AbortController()
    const response = await get('/probe/api/count?to=1&behaviour=forever', { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    await waitFor(() => expect(served.state.streamsEnded).toBe(before + 1))
  })

  test('a download supports ranges, suffixes, UTF-8 filenames and HEAD', async () => {
    const whole = await get('/probe/api/download?size=200000')
    expect([whole.status, whole.headers.get('content-length'), whole.headers.get('accept-ranges')]).toEqual([
      200,
      '200000',
      'bytes',
    ])
    expect(whole.headers.get('cache-control')).toBe('private')
    expect((await whole.arrayBuffer()).byteLength).toBe(200_000)
    const part = await get('/probe/api/download?size=100', { headers: { range: 'bytes=26-29' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 26-29/100',
      'abcd',
    ])
    const suffix = await get('/probe/api/download?size=54', { headers: { range: 'bytes=-2' } })
    expect([suffix.status, await suffix.text()]).toEqual([206, 'ab'])
    const named = await get(`/probe/api/download?size=1&filename=${encodeURIComponent('Grüße "1".wav')}`)
    expect(named.headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e _1_.wav"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%221%22.wav`,
    )
    const head = await get('/probe/api/download?size=9', { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '9', ''])
    const headOfPart = await get('/probe/api/download?size=9', { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect([headOfPart.status, headOfPart.headers.get('content-length')]).toEqual([200, '9'])
  })

  test('a download whose content fails before its first bytes is a plain error', async () => {
    const url = '/probe/api/download?size=100&filename=removed.txt'
    for (const headers of [{}, { range: 'bytes=26-29' }]) {
      const response = await get(url, { headers })
      expect([response.status, response.headers.get('content-type'), response.headers.get('etag')]).toEqual([
        404,
        'application/json; charset=utf-8',
        null,
      ])
      expect(await response.json()).toEqual({ detail: 'The file has just been removed.' })
    }
    expect((await get(url, { method: 'HEAD' })).status).toBe(200)
  })

  test.each([
    ['"v1"', 'bytes=26-29', 206, 'abcd'],
    ['"v0"', 'bytes=26-29', 200, undefined],
    ['W/"v1"', 'bytes=26-29', 200, undefined],
    ['Sat, 29 Oct 2022 19:43:31 GMT', 'bytes=26-29', 200, undefined],
    ['"v0"', 'bytes=200-', 200, undefined],
    ['"v1"', 'bytes=200-', 416, undefined],
  ])('If-Range %s with the range %s is answered %i', async (ifRange, range, status, part) => {
    const response = await get('/probe/api/download?size=100', { headers: { range, 'if-range': ifRange } })
    expect(response.status).toBe(status)
    const text = await response.text()
    if (part !== undefined) expect(text).toBe(part)
    if (status === 200) {
      expect([text.length, response.headers.get('content-range'), response.headers.get('etag')]).toEqual([
        100,
        null,
        '"v1"',
      ])
    }
  })

  test.each([
    ['GET', '"v1"', {}, 304],
    ['GET', 'W/"v1"', {}, 304],
    ['GET', '"v0", "v1"', {}, 304],
    ['GET', '*', {}, 304],
    ['HEAD', '"v1"', {}, 304],
    ['GET', '"v1"', { range: 'bytes=26-29' }, 304],
    ['GET', '"v0"', {}, 200],
    ['GET', '"v0"', { range: 'bytes=26-29' }, 206],
  ])('%s of a download with If-None-Match %s and %j is answered %i', async (method, ifNoneMatch, headers, status) => {
    const url = '/probe/api/download?size=100'
    const response = await get(url, { method, headers: { 'if-none-match': ifNoneMatch, ...headers } })
    expect([response.status, response.headers.get('etag')]).toEqual([status, '"v1"'])
    const text = await response.text()
    if (status !== 304) return expect(text.length).toBe(status === 206 ? 4 : 100)
    expect([text, response.headers.get('content-length'), response.headers.get('cache-control')]).toEqual([
      '',
      null,
      'private',
    ])
  })

  test.each([
    ['GET', { 'if-match': '"v1"' }, 200],
    ['GET', { 'if-match': '"v0", "v1"' }, 200],
    ['GET', { 'if-match': '*' }, 200],
    ['GET', { 'if-match': '"v1"', range: 'bytes=26-29' }, 206],
    ['GET', { 'if-match': '"v1"', range: 'bytes=200-' }, 416],
    ['GET', { 'if-match': '"v0"' }, 412],
    ['GET', { 'if-match': 'W/"v1"' }, 412],
    ['HEAD', { 'if-match': '"v0"' }, 412],
    ['GET', { 'if-match': '"v0"', range: 'bytes=26-29' }, 412],
    ['GET', { 'if-match': '"v0"', range: 'bytes=200-' }, 412],
    ['GET', { 'if-match': '"v0"', 'if-none-match': '"v1"' }, 412],
    ['GET', { 'if-match': '"v1"', 'if-none-match': '"v1"' }, 304],
    ['GET', { 'if-none-match': '"v1"', range: 'bytes=200-' }, 304],
    ['GET', { 'if-none-match': '"v0"', range: 'bytes=200-' }, 416],
    ['GET', { 'if-match': '"v1"', 'if-range': '"v0"', range: 'bytes=26-29' }, 200],
  ])(
    'the preconditions of a download are evaluated in their order: %s with %j is answered %i',
    async (method, headers, status) => {
      const response = await get('/probe/api/download?size=100', { method, headers })
      expect(response.status).toBe(status)
      const text = await response.text()
      if (status === 200 || status === 206) expect(text.length).toBe(status === 206 ? 4 : 100)
      if (status === 412 && method === 'GET')
        expect(JSON.parse(text)).toEqual({ detail: expect.stringContaining('If-Match') })
    },
  )

  test.each([
    '/health',
    '/ready',
    '/openapi.json',
    '/docs',
    '/docs/static/swagger-ui.css',
    '/probe/openapi.json',
    '/probe/api/echo/x',
    '/probe/api/download?size=5',
    '/probe/api/count?to=3',
  ])('HEAD %s is answered like GET without a body', async (path) => {
    const [whole, head] = [await get(path), await get(path, { method: 'HEAD' })]
    expect([head.status, head.headers.get('content-type')]).toEqual([whole.status, whole.headers.get('content-type')])
    expect(await head.text()).toBe('')
    expect((await whole.text()).length).toBeGreaterThan(0)
  })

  test('a range outside the content is 416 with its size, and a malformed one returns the whole', async () => {
    const outside = await get('/probe/api/download?size=10', { headers: { range: 'bytes=10-' } })
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect((await get('/probe/api/download?size=10', { headers: { range: 'bytes=5-2' } })).status).toBe(200)
    expect((await get('/probe/api/download?size=10', { headers: { range: 'lines=1-2' } })).status).toBe(200)
    expect((await get('/probe/api/download?size=-1')).status).toBe(404)
  })

  test('a form with several files and fields in any order is streamed', async () => {
    const big = Buffer.alloc(5 * 1024 * 1024, 'trellis')
    const form = new FormData()
    form.append('label', 'before')
    form.append('file', new Blob([big]), 'big.bin')
    form.append('file', new Blob(['small']), 'small.txt')
    form.append('after', 'after')
    const response = await get('/probe/api/upload', { method: 'POST', body: form })
    expect(response.status).toBe(202)
    expect(await response.json()).toEqual({
      files: ['big.bin', 'small.txt'],
      sizes: [big.byteLength, 5],
      digests: [big, 'small'].map((content) => createHash('sha256').update(content).digest('hex')),
      fields: { label: 'before', after: 'after' },
    })
    const inQuery = await get('/probe/api/upload?wait=true&label=query', { method: 'POST', body: new FormData() })
    expect(inQuery.status).toBe(200)
    expect(await inQuery.json()).toMatchObject({ fields: { label: 'query' } })
  })

  test('the name of a file in a form keeps its quotation marks, and percent signs that are no escape', async () => {
    const form = new FormData()
    form.append('file', new Blob(['x']), '12" mix 100%20.wav')
    const response = await get('/probe/api/upload', { method: 'POST', body: form })
    expect(await response.json()).toMatchObject({ files: ['12" mix 100%20.wav'] })
  })

  test('a refused upload is answered before its body is complete', async () => {
    const form = new FormData()
    form.append('file', new Blob(['x']), 'bad.bin')
    const response = await get('/probe/api/upload', { method: 'POST', body: form })
    expect([response.status, await detail(response)]).toEqual([415, 'That file is not accepted here.'])
    const noForm = await get('/probe/api/upload', json({}))
    expect(noForm.status).toBe(415)
    const broken = await get('/probe/api/upload', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    })
    expect(broken.status).toBe(400)
    const unbound = await get('/probe/api/upload', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data' },
      body: 'abc',
    })
    expect(unbound.status).toBe(400)
  })

  test('a plain body is streamed only with the media type of the route', async () => {
    const lines = '{"a":1}\n'.repeat(50_000)
    const taken = await get('/probe/api/push', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines,
    })
    expect(((await taken.json()) as { sizes: number[] }).sizes).toEqual([lines.length])
    expect((await get('/probe/api/push', json({}))).status).toBe(415)
  })

  test('every answer carries the security headers and a request id', async () => {
    for (const path of ['/health', '/probe/api/echo/x', '/probe/api/nothing', '/probe/api/count?to=1']) {
      const { headers } = await get(path)
      expect(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(headers.get('x-request-id'), path).toMatch(/^[0-9a-z-]{20,}$/)
    }
  })

  test('the trace context of a request reaches the handler', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const { headers } = await get('/probe/api/echo/x', { headers: { traceparent } })
    expect(headers.get('x-seen-traceparent')).toBe(traceparent)
  })

  test('the OpenAPI document of a mount has the version of its spec', async () => {
    const document = (await (await get('/probe/openapi.json')).json()) as { info: object; paths: object }
    expect(document.info).toMatchObject({ title: expect.stringMatching(/ probe$/), version: '1.2.3' })
    expect(Object.keys(document.paths)).toContain('/probe/api/echo/{id}')
    expect((await get('/docs')).status).toBe(200)
  })
})

describe('the shutdown of the server', () => {
  test('streams end with a retry advice', async () => {
    const served = await serveProbe('in process')
    const response = await fetch(`${served.origin}/probe/api/count?to=1&behaviour=forever`)
    const text = response.text()
    await served.close()
    expect(await text).toMatch(/retry: \d+\n\n$/)
    expect(served.state.streamsEnded).toBe(1)
  })

  test('a request that arrives on an open connection meanwhile is answered, as its last', async () => {
    const served = await serveProbe('in process')
    const socket = createConnection(Number(new URL(served.origin).port), '127.0.0.1')
    let received = ''
    socket.on('data', (data) => (received += data.toString()))
    const next = 'GET /probe/api/echo/x HTTP/1.1\r\nHost: localhost\r\n\r\n'
    socket.write('POST /probe/api/things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
    socket.write('Expect: 100-continue\r\nContent-Length: 12\r\n\r\n')
    await waitFor(() => expect(received).toContain('100 Continue'))
    const closed = served.close()
    socket.write(`{"name":"a"}${next}`)
    await Promise.all([once(socket, 'close'), closed])
    expect(received.match(/HTTP\/1\.1 \d+|(?<=connection: )[a-z-]+/gi)).toEqual([
      'HTTP/1.1 100',
      'HTTP/1.1 201',
      'keep-alive',
      'HTTP/1.1 200',
      'close',
    ])
  })
})

describe('a client that stops reading', () => {
  test('backpressure reaches the service, so that memory stays bounded', async () => {
    const served = await serveProbe('in process')
    const { port } = new URL(served.origin)
    const socket = createConnection(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.pause()
    socket.write('GET /probe/api/count?to=50000000 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const before = process.memoryUsage().heapUsed
    await waitFor(() => expect(performance.now()).toBeGreaterThan(0))
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024)
    socket.destroy()
    await waitFor(() => expect(served.state.streamsEnded).toBe(1))
    await served.close()
  })
})
