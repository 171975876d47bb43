import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { readConfig } from '@trellis/kit/config'
import { serviceError } from '@trellis/kit/errors'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { routes } from '@trellis/protos/edge/routes.ts'
import type { BranchLocation } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import { BranchIntakeServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { waitFor } from '@trellis/test/support/wait-for'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { edgeConfig } from '../config.ts'
import { createEdge } from '../edge.ts'
import { createBranchProxy } from './branch-proxy.ts'
import { createBranchLocations } from './locations.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** A server in place of a branch, which answers as the test defines. */
const serveInPlaceOfBranch = async (answer: Answer) => {
  const server = createServer((received, response) => void answer(received, response))
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
const bodyOf = async (received: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of received as AsyncIterable<Buffer>) parts.push(part)
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

test('a batch and its answer are forwarded unchanged', async () => {
  const seen: unknown[] = []
  await put('barn', async (received, response) => {
    const { url, method, headers } = received
    seen.push({ url, method, headers, body: (await bodyOf(received)).toString('hex') })
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

test('a 503 of the branch is forwarded with its Retry-After', async () => {
  await put('barn', async (received, response) => {
    await bodyOf(received)
    json(response, 503, { detail: 'Too much.' }, { 'retry-after': '7' })
  })
  const response = await push('barn', '{}')
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('7')
  expect(await response.json()).toEqual({ detail: 'Too much.' })
})

test('a rejection before the end of a long body reaches the sender', async () => {
  await put('barn', (_received, response) => json(response, 401, { detail: 'No.' }, { 'www-authenticate': 'Bearer' }))
  const response = await push('barn', Buffer.alloc(20_000_000, 'x'))
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
})

test('a body is streamed to the branch, and is aborted with its sender', async () => {
  const first = Promise.withResolvers<void>()
  const cut = Promise.withResolvers<void>()
  await put('barn', (received) => {
    received.once('data', () => first.resolve())
    received.once('error', () => cut.resolve())
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

test('an unknown slug is 404 with a key, and without a key every slug has the same answer', async () => {
  await put('barn', async (received, response) => {
    await bodyOf(received)
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
  expect(await reported('unknown')).toEqual({
    status: 404,
    challenge: null,
    body: { detail: 'There is no branch "unknown".' },
  })
  for (const slug of ['barn', 'unknown', 'Not-A-Slug'])
    expect(await reported(slug, { authorization: '' }), slug).toEqual(refused)
})

test('a branch that is inactive or unreachable is 503 with Retry-After', async () => {
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

test('a batch for a branch that accepts no connection yet is sent once it does', async () => {
  const branch = await serveInPlaceOfBranch(async (received, response) => {
    json(response, 200, { received: (await bodyOf(received)).length })
  })
  await branch[Symbol.asyncDispose]()
  branches = [{ slug: 'barn', active: true, httpAddress: branch.httpAddress }]
  const pushing = push('barn', Buffer.alloc(2_000_000, 'x'))
  await waitFor(() => expect(requested).toBeGreaterThan(1))
  await put('barn', async (received, response) => {
    json(response, 200, { received: (await bodyOf(received)).length })
  })
  expect(await (await pushing).json()).toEqual({ received: 2_000_000 })
})

test('a sender that leaves while its branch accepts no connection ends the attempts', async () => {
  branches = [{ slug: 'barn', active: true, httpAddress: 'http://127.0.0.1:1' }]
  const sending = request(`${origin}/logs/branches/barn/api/glean/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key-of-the-branch' },
  })
  sending.on('error', () => undefined)
  sending.write('{"entries": [')
  await waitFor(() => expect(requested).toBeGreaterThan(1))
  const left = new Promise((resolve) => sending.once('close', resolve))
  sending.destroy()
  await left
  const atLeave = requested
  let last = -1
  // Twice as far apart as two attempts.
  await waitFor(
    () => {
      const before = last
      last = requested
      expect(last).toBe(before)
    },
    { interval: 500 },
  )
  expect(requested - atLeave).toBeLessThanOrEqual(2)
})

test('a new branch is found, and a moved branch is found at its new address', async () => {
  expect((await push('barn', '{}')).status).toBe(404)
  const before = await put('barn', async (received, response) => {
    await bodyOf(received)
    json(response, 200, { from: 'before' })
  })
  expect(await (await push('barn', '{}')).json()).toEqual({ from: 'before' })
  await before[Symbol.asyncDispose]()
  await put('barn', async (received, response) => {
    await bodyOf(received)
    json(response, 200, { from: 'after' })
  })
  await waitFor(async () => expect(await (await push('barn', '{}')).json()).toEqual({ from: 'after' }))
})

test('a failed push reports an inactive branch, and the next one looks up its address again', async () => {
  let isLeaving = false
  await put('barn', (received) => {
    if (isLeaving) branches = branches.map((branch) => ({ ...branch, active: false }))
    received.socket.destroy()
  })
  const broken = await push('barn', '{}')
  expect({ status: broken.status, wait: broken.headers.get('retry-after') }).toEqual({ status: 503, wait: '2' })
  isLeaving = true
  const next = await push('barn', '{}')
  expect({ status: next.status, body: await next.json() }).toEqual({
    status: 503,
    body: { detail: 'Branch "barn" is not active. Keep the entries and retry later.' },
  })
  branches = []
  await put('barn', async (received, response) => {
    await bodyOf(received)
    json(response, 200, { from: 'after' })
  })
  expect(await (await push('barn', '{}')).json()).toEqual({ from: 'after' })
})

test('a branch that is invalidated during a lookup is looked up once more', async () => {
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
  locations.invalidate('barn')
  const found = locations.find('barn')
  gate.resolve()
  await found
  expect(await locations.find('barn')).toMatchObject({ active: false })
})

test('cached locations are used while the logs service is unavailable', async () => {
  await put('barn', async (received, response) => {
    await bodyOf(received)
    json(response, 200, {})
  })
  expect((await push('barn', '{}')).status).toBe(200)
  isAway = true
  const before = requested
  for (let round = 0; round < 3; round++) expect((await push('barn', '{}')).status).toBe(200)
  expect(requested).toBeGreaterThan(before)
})
