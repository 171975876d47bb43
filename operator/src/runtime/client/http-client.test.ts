import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMetrics } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { json, refuse, type ScriptedServer, startScriptedServer } from '../../../test/scripted-server.ts'
import { systemClock } from '../clock.ts'
import { createRuntimeMetrics } from '../metrics.ts'
import type { KubeObject } from '../objects/object.ts'
import { resource } from '../objects/resource.ts'
import { ApiError, ConnectionError, NotLeader } from './api-error.ts'
import { guardWrites } from './client.ts'
import { createCredentials, loadConfig } from './credentials.ts'
import { createHttpClient, type HttpClientOptions } from './http-client.ts'

const things = resource({ group: 'example.test', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true })
const ref = { namespace: 'ns', name: 'a' }
const made: KubeObject = { metadata: { ...ref, uid: 'u', resourceVersion: '1' } }

const connect = async (options: HttpClientOptions = {}) => {
  const server = await startScriptedServer()
  const client = createHttpClient({
    credentials: createCredentials(() => loadConfig({ kubeconfig: server.kubeconfig() }), systemClock),
    retry: { initial: 1, max: 5, attempts: 3, longestRest: 5_000 },
    ...options,
  })
  return {
    server,
    client,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Fails the first requests in order and answers the rest. */
const failFirst = (
  server: ScriptedServer,
  ...failures: readonly ((response: Parameters<typeof json>[0]) => void)[]
) => {
  const left = [...failures]
  server.answer((_, response) => {
    const fail = left.shift()
    if (fail) fail(response)
    else json(response, 200, made)
  })
}

type Response = Parameters<typeof json>[0]
const drop = (response: Response) => void response.destroy()
const throttle = (response: Response) => refuse(response, 429, 'TooManyRequests', { 'retry-after': '0' })
const unavailable = (response: Response) => refuse(response, 503, 'ServiceUnavailable')

test('all requests share connections', async () => {
  await using it = await connect()
  it.server.answer((_, response) => json(response, 200, made))
  for (let count = 0; count < 200; count += 1) await it.client.get(things, ref)
  // A second connection is opened if a request follows before the last response was read to its end.
  expect(it.server.connections()).toBeLessThanOrEqual(2)
  await Promise.all(Array.from({ length: 500 }, () => it.client.get(things, ref)))
  expect(it.server.connections()).toBeLessThanOrEqual(16)
})

test('each verb is sent as the API specifies', async () => {
  await using it = await connect()
  it.server.answer((_, response) => json(response, 200, { ...made, items: [] }))
  const { client } = it
  await client.get(things, ref)
  await client.list(things, { labelSelector: 'a=b', fieldSelector: 'metadata.name=x', limit: 5, continue: 'next' })
  await client.create(things, { metadata: { ...ref } }, { fieldManager: 'me', dryRun: true })
  await client.update(things, made, { subresource: 'status' })
  await client.patch(things, ref, { type: 'merge', body: { spec: null } })
  await client.patch(things, ref, { type: 'json', body: [{ op: 'remove', path: '/spec' }] })
  await client.patch(things, ref, { type: 'apply', body: { spec: 1 }, fieldManager: 'me', force: true })
  await client.delete(things, ref, {
    preconditions: { uid: 'u' },
    propagationPolicy: 'Foreground',
    gracePeriodSeconds: 0,
  })
  await client.setScale(things, ref, 3)
  const all = '/apis/example.test/v1/things'
  const within = '/apis/example.test/v1/namespaces/ns/things'
  expect(
    it.server.received.map(({ method, path, query, headers, body }) => [
      `${method} ${path}?${query}`,
      headers['content-type'],
      body,
    ]),
  ).toEqual([
    [`GET ${within}/a?`, undefined, ''],
    [`GET ${all}?labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&limit=5&continue=next`, undefined, ''],
    [
      `POST ${within}?fieldManager=me&dryRun=All`,
      'application/json',
      '{"metadata":{"namespace":"ns","name":"a"},"apiVersion":"example.test/v1","kind":"Thing"}',
    ],
    [
      `PUT ${within}/a/status?`,
      'application/json',
      JSON.stringify({ ...made, apiVersion: 'example.test/v1', kind: 'Thing' }),
    ],
    [`PATCH ${within}/a?`, 'application/merge-patch+json', '{"spec":null}'],
    [`PATCH ${within}/a?`, 'application/json-patch+json', '[{"op":"remove","path":"/spec"}]'],
    [
      `PATCH ${within}/a?fieldManager=me&force=true`,
      'application/apply-patch+yaml',
      '{"spec":1,"apiVersion":"example.test/v1","kind":"Thing"}',
    ],
    [
      `DELETE ${within}/a?`,
      'application/json',
      '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"},"propagationPolicy":"Foreground","gracePeriodSeconds":0}',
    ],
    [`PATCH ${within}/a/scale?`, 'application/merge-patch+json', '{"spec":{"replicas":3}}'],
  ])
  expect(it.server.received.every(({ headers }) => headers.authorization === 'Bearer token')).toBe(true)
})

test('a create is retried after a lost response only if the object has a name', async () => {
  await using it = await connect()
  failFirst(it.server, drop, unavailable)
  await it.client.create(things, { metadata: { ...ref } })
  expect(it.server.received).toHaveLength(3)
  failFirst(it.server, drop)
  const generated = { metadata: { namespace: 'ns', generateName: 'a-' } }
  await expect(it.client.create(things, generated)).rejects.toMatchObject({ name: 'ConnectionError', maybeSent: true })
  expect(it.server.received).toHaveLength(4)
  failFirst(it.server, throttle, throttle)
  await it.client.create(things, generated)
  expect(it.server.received).toHaveLength(7)
})

test('a delete is retried only if it names the uid', async () => {
  await using it = await connect()
  failFirst(it.server, drop)
  await expect(it.client.delete(things, ref)).rejects.toBeInstanceOf(ConnectionError)
  failFirst(it.server, drop)
  await it.client.delete(things, ref, { preconditions: { uid: 'u' } })
  expect(it.server.received).toHaveLength(3)
})

test('retries are limited, and the last error is thrown', async () => {
  await using it = await connect()
  failFirst(it.server, unavailable, unavailable, unavailable, unavailable)
  await expect(it.client.get(things, ref)).rejects.toMatchObject({ status: 503, reason: 'ServiceUnavailable' })
  expect(it.server.received).toHaveLength(3)
})

test('a refused connection counts as never sent', async () => {
  await using it = await connect()
  await it.server.refuse()
  await expect(it.client.create(things, { metadata: { namespace: 'ns', generateName: 'a-' } })).rejects.toMatchObject({
    name: 'ConnectionError',
    maybeSent: false,
  })
})

test('an attempt ends at its timeout, and a call ends when its signal is aborted', async () => {
  await using it = await connect()
  it.server.answer(() => undefined)
  await expect(it.client.get(things, ref, { timeout: 20 })).rejects.toMatchObject({
    name: 'ConnectionError',
    maybeSent: true,
  })
  expect(it.server.received).toHaveLength(3)
  const stop = new AbortController()
  const reason = new Error('stopped')
  const call = it.client.get(things, ref, { signal: stop.signal })
  await eventually(() => it.server.received.length === 4, 'the request arrives')
  stop.abort(reason)
  await expect(call).rejects.toBe(reason)
})

test('a truncated response is retried', async () => {
  await using it = await connect()
  failFirst(it.server, (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"metadata":')
    setTimeout(() => response.destroy(), 20)
  })
  expect(await it.client.get(things, ref)).toEqual(made)
  expect(it.server.received).toHaveLength(2)
})

test.each([
  { when: 'before its first attempt', refusedAt: 1, sent: 0 },
  { when: 'while waiting for a connection', refusedAt: 2, sent: 0 },
  { when: 'before its retry', refusedAt: 3, sent: 1 },
])('a write that the guard rejects $when is not sent', async ({ refusedAt, sent }) => {
  await using it = await connect()
  let requested = 0
  const guarded = guardWrites(it.client, () => {
    requested += 1
    if (requested === refusedAt) throw new NotLeader('no longer')
    return 10_000
  })
  failFirst(it.server, unavailable)
  await expect(guarded.update(things, made)).rejects.toBeInstanceOf(NotLeader)
  expect([requested, it.server.received.length]).toEqual([refusedAt, sent])
  await guarded.get(things, ref)
  expect(requested).toBe(refusedAt)
})

test('a token rotated in its file is used once the server rejects the old one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-token-'))
  const server = await startScriptedServer()
  try {
    const tokenFile = join(directory, 'token')
    await writeFile(tokenFile, 'old\n')
    const config = JSON.parse(server.kubeconfig())
    config.users[0].user = { 'auth-provider': { name: 'file', config: { tokenFile } } }
    const credentials = createCredentials(() => loadConfig({ kubeconfig: JSON.stringify(config) }), systemClock)
    await using client = createHttpClient({ credentials })
    let known = 'Bearer old'
    server.answer(({ headers }, response) =>
      headers.authorization === known ? json(response, 200, made) : refuse(response, 401, 'Unauthorized'),
    )
    await client.get(things, ref)
    await writeFile(tokenFile, 'new\n')
    known = 'Bearer new'
    await client.get(things, ref)
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer old',
      'Bearer new',
    ])
    known = 'Bearer none'
    await expect(client.get(things, ref)).rejects.toBeInstanceOf(ApiError)
    expect(server.received).toHaveLength(5)
  } finally {
    await server[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  }
})

test('requests are counted by code, method and host, and timed by verb', async () => {
  const metrics = createMetrics({ processMetrics: false })
  await using it = await connect({ metrics: createRuntimeMetrics(metrics) })
  failFirst(it.server, unavailable)
  await it.client.get(things, ref)
  const text = await metrics.render()
  const { host } = new URL(it.server.url)
  expect(text).toContain(`rest_client_requests_total{code="503",method="GET",host="${host}"} 1`)
  expect(text).toContain(`rest_client_requests_total{code="200",method="GET",host="${host}"} 1`)
  expect(text).toContain(`rest_client_request_duration_seconds_count{verb="GET",host="${host}"} 2`)
})
