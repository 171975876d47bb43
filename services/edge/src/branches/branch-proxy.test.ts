import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { readConfig } from '@trellis/kit/config'
import { serviceError } from '@trellis/kit/errors'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { routes } from '@trellis/protos/edge/routes.ts'
import type { BranchLocation } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import { BranchIntakeServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { edgeConfig } from '../config.ts'
import { createEdge } from '../edge.ts'
import { createBranchProxy } from './branch-proxy.ts'
import { createBranchLocations } from './locations.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** A server that stands where a branch would, and answers as the test says. */
const serveInPlaceOfBranch = async (answer: Answer) => {
  const server = createServer((given, response) => void answer(given, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    httpAddress: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
const bodyOf = async (given: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of given as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts)
}
const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

let stack: AsyncDisposableStack
let branches: BranchLocation[]
let isAway: boolean
let requested: number
let origin: string
beforeEach(async () => {
  stack = new AsyncDisposableStack()
  branches = []
  isAway = false
  requested = 0
  const directory = {
    locateBranches: async () => {
      requested++
      if (isAway) throw serviceError('unavailable', 'The logs service is away.')
      return { branches }
    },
  }
  const proxyToBranch = stack.use(
    createBranchProxy(createBranchLocations({ directory, freshMilliseconds: 0, log: silentLog })),
  )
  const edge = stack.use(
    await createEdge({
      config: readConfig(edgeConfig, { SERVICE_API_KEY: 'api-key', SERVICE_BRANCH_KEY: 'not-of-a-branch' }),
      routes,
      backends: [
        {
          name: BranchIntakeServiceDefinition.fullName,
          mount: '/logs',
          heartbeat: 'heartbeat',
          client: {},
          proxyToBranch,
        },
      ],
      missing: () => ({}),
      log: silentLog,
      metrics: createMetrics({ processMetrics: false }),
    }),
  )
  origin = await edge.listen('127.0.0.1', 0)
})
afterEach(() => stack.disposeAsync())

const push = (slug: string, body: Uint8Array | string, headers: Record<string, string> = {}) =>
  fetch(`${origin}/logs/branches/${slug}/api/glean/batch?source_id=x`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key-of-the-branch', ...headers },
    body: body as string,
  })
const put = async (slug: string, answer: Answer) => {
  const branch = stack.use(await serveInPlaceOfBranch(answer))
  branches = [...branches.filter((one) => one.slug !== slug), { slug, active: true, httpAddress: branch.httpAddress }]
  return branch
}

test('a batch goes to its branch as it is, and the answer comes back as it is', async () => {
  const seen: unknown[] = []
  await put('barn', async (given, response) => {
    const { url, method, headers } = given
    seen.push({ url, method, headers, body: (await bodyOf(given)).toString('hex') })
    json(response, 200, { accepted: 1, duplicates: 0, rejected: [] })
  })
  const body = gzipSync('{"entries": []}')
  const headers = {
    'content-encoding': 'gzip',
    'x-request-id': 'request-0001',
    cookie: 'a=b',
  }
  const response = await push('barn', body, headers)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
  expect(response.headers.get('x-request-id')).toBe('request-0001')
  expect(seen).toMatchObject([
    {
      url: '/api/glean/batch?source_id=x',
      method: 'POST',
      headers: {
        authorization: 'Bearer key-of-the-branch',
        'content-encoding': 'gzip',
        'x-request-id': 'request-0001',
      },
      body: body.toString('hex'),
    },
  ])
  expect(seen).not.toMatchObject([{ headers: { cookie: 'a=b' } }])
})

test('pressure comes back with when to come again', async () => {
  await put('barn', async (given, response) => {
    await bodyOf(given)
    json(response, 503, { detail: 'Too much.' }, { 'retry-after': '7' })
  })
  const response = await push('barn', '{}')
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('7')
  expect(await response.json()).toEqual({ detail: 'Too much.' })
})

test('a refusal before the end of a long body reaches its sender', async () => {
  await put('barn', (_given, response) => json(response, 401, { detail: 'No.' }, { 'www-authenticate': 'Bearer' }))
  const response = await push('barn', Buffer.alloc(20_000_000, 'x'))
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
})

test('a body passes through while it arrives, and ends with its sender', async () => {
  const first = Promise.withResolvers<void>()
  const cut = Promise.withResolvers<void>()
  await put('barn', (given) => {
    given.once('data', () => first.resolve())
    given.once('error', () => cut.resolve())
  })
  const sending = request(`${origin}/logs/branches/barn/api/glean/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key-of-the-branch' },
  })
  sending.on('error', () => undefined)
  sending.write('{"entries": [')
  await first.promise
  sending.destroy()
  await cut.promise
})

test('a slug that nobody knows is 404 for who has a key, and without a key every slug answers the same', async () => {
  await put('barn', async (given, response) => {
    await bodyOf(given)
    json(response, 200, {})
  })
  const reported = async (slug: string, headers?: Record<string, string>) => {
    const response = await push(slug, '{}', headers)
    const challenge = response.headers.get('www-authenticate')
    return { status: response.status, challenge, body: await response.json() }
  }
  const refused = {
    status: 401,
    challenge: 'Bearer realm="trellis"',
    body: { detail: 'This needs the branch key. Send it as "Authorization: Bearer <key>".' },
  }
  expect(await reported('nobody')).toEqual({
    status: 404,
    challenge: null,
    body: { detail: 'There is no branch "nobody".' },
  })
  for (const slug of ['barn', 'nobody', 'Not-A-Slug'])
    expect(await reported(slug, { authorization: '' }), slug).toEqual(refused)
})

test('a branch that is not active or not there is 503 with Retry-After', async () => {
  expect((await push('Not-A-Slug', '{}')).status).toBe(422)
  branches = [
    { slug: 'still', active: false, httpAddress: 'http://127.0.0.1:1' },
    { slug: 'starting', active: true, httpAddress: '' },
    { slug: 'away', active: true, httpAddress: 'http://127.0.0.1:1' },
  ]
  for (const { slug } of branches) {
    const response = await push(slug, '{}')
    expect(response.status, slug).toBe(503)
    expect(Number(response.headers.get('retry-after')), slug).toBeGreaterThan(0)
  }
})

test('a branch that was made a moment ago is found, and one that has moved is found again', async () => {
  expect((await push('barn', '{}')).status).toBe(404)
  const before = await put('barn', async (given, response) => {
    await bodyOf(given)
    json(response, 200, { from: 'before' })
  })
  expect(await (await push('barn', '{}')).json()).toEqual({ from: 'before' })
  await before[Symbol.asyncDispose]()
  await put('barn', async (given, response) => {
    await bodyOf(given)
    json(response, 200, { from: 'after' })
  })
  await vi.waitFor(async () => expect(await (await push('barn', '{}')).json()).toEqual({ from: 'after' }))
})

test('a push that broke off is told when the branch has become inactive, and the next one asks where it is', async () => {
  let isLeaving = false
  await put('barn', (given) => {
    if (isLeaving) branches = branches.map((branch) => ({ ...branch, active: false }))
    given.socket.destroy()
  })
  const broken = await push('barn', '{}')
  expect({ status: broken.status, wait: broken.headers.get('retry-after') }).toEqual({ status: 503, wait: '2' })
  isLeaving = true
  const next = await push('barn', '{}')
  expect({ status: next.status, body: await next.json() }).toEqual({
    status: 503,
    body: { detail: 'Branch "barn" is not active. Keep what you have until it is.' },
  })
  branches = []
  await put('barn', async (given, response) => {
    await bodyOf(given)
    json(response, 200, { from: 'after' })
  })
  expect(await (await push('barn', '{}')).json()).toEqual({ from: 'after' })
})

test('a branch that was doubted while an answer was on its way is asked for once more', async () => {
  const gate = Promise.withResolvers<void>()
  const answers = [true, true, false].map((active) => ({ slug: 'barn', active, httpAddress: 'http://127.0.0.1:1' }))
  let count = 0
  const directory = {
    locateBranches: async () => {
      const branch = answers[count++]
      if (count === 2) await gate.promise
      return { branches: branch ? [branch] : [] }
    },
  }
  const locations = createBranchLocations({ directory, freshMilliseconds: 0, log: silentLog })
  await locations.find('barn')
  await locations.find('barn')
  locations.doubt('barn')
  const found = locations.find('barn')
  gate.resolve()
  await found
  expect(await locations.find('barn')).toMatchObject({ active: false })
})

test('what is known of branches stands while the logs service is away', async () => {
  await put('barn', async (given, response) => {
    await bodyOf(given)
    json(response, 200, {})
  })
  expect((await push('barn', '{}')).status).toBe(200)
  isAway = true
  const before = requested
  for (let round = 0; round < 3; round++) expect((await push('barn', '{}')).status).toBe(200)
  expect(requested).toBeGreaterThan(before)
})
