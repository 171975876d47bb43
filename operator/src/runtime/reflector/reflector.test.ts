import { createLog, createMetrics } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { json, refuse, type ScriptedServer, startScriptedServer, writeEvents } from '../../../test/scripted-server.ts'
import { createCredentials, loadConfig } from '../client/credentials.ts'
import { createHttpClient } from '../client/http-client.ts'
import { systemClock } from '../clock.ts'
import { createRuntimeMetrics } from '../metrics.ts'
import type { KubeObject } from '../objects/object.ts'
import { resource } from '../objects/resource.ts'
import { createStore } from '../store/store.ts'
import { createReflector, type ReflectorOptions } from './reflector.ts'

const things = resource({ group: '', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true })

const thing = (name: string, version: number): KubeObject => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: String(version) },
})

const listOf = (version: number, ...items: KubeObject[]) => ({ metadata: { resourceVersion: String(version) }, items })
const added = (name: string, version: number) => ({ type: 'ADDED', object: thing(name, version) })

type Answers = {
  /** Called with the number of the list, counted from 1; by default a list at version 10 with one object. */
  list?: (response: Parameters<typeof json>[0], count: number, query: URLSearchParams) => void
  /** Called with the number of the watch, counted from 1. */
  watch: (response: Parameters<typeof json>[0], count: number, query: URLSearchParams) => void
}

/**
 * Runs a reflector against a scripted server until the test ends. Delays are short, as no assertion depends on them.
 */
const reflecting = async (answers: Answers, options: Partial<ReflectorOptions<KubeObject>> = {}) => {
  const server = await startScriptedServer()
  let [lists, watches] = [0, 0]
  const versions: (string | null)[] = []
  server.answer(({ query }, response) => {
    if (query.get('watch') === 'true') {
      watches += 1
      versions.push(query.get('resourceVersion'))
      answers.watch(response, watches, query)
    } else {
      lists += 1
      if (answers.list) answers.list(response, lists, query)
      else json(response, 200, listOf(10, thing('a', 5)))
    }
  })
  const metrics = createMetrics({ processMetrics: false })
  const runtimeMetrics = createRuntimeMetrics(metrics)
  const client = createHttpClient({
    credentials: createCredentials(() => loadConfig({ kubeconfig: server.kubeconfig() }), systemClock),
    retry: { initial: 1, max: 5, attempts: 2, longestRest: 0 },
  })
  const store = createStore<KubeObject>({ freeze: true })
  const reflector = createReflector({
    name: 'things',
    client,
    resource: things,
    store,
    clock: systemClock,
    random: Math.random,
    log: createLog({ level: 'debug', format: 'json', destination: { write: () => undefined } }),
    metrics: runtimeMetrics,
    backoff: { initial: 2, max: 20, jitter: 0 },
    ...options,
  })
  const stop = new AbortController()
  const running = reflector.run(stop.signal)
  const end = async () => {
    stop.abort()
    await running
  }
  return {
    server,
    store,
    reflector,
    versions,
    lists: () => lists,
    watches: () => watches,
    causes: async () =>
      [...(await metrics.render()).matchAll(/reflector_errors_total\{name="things",cause="(\w+)"\} (\d+)/g)].map(
        ([, cause]) => cause,
      ),
    end,
    [Symbol.asyncDispose]: async () => {
      await end()
      await client[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

type Fault = {
  cause: string
  /** What the first watch does. */
  break: (response: Parameters<typeof json>[0], server: () => ScriptedServer) => void
  /** Whether the reflector lists again. */
  relists: boolean
  /** The last version seen before the fault, from which the watch resumes. */
  resumesFrom?: string
}

const error = (code: number, reason: string) => ({
  type: 'ERROR',
  object: { kind: 'Status', code, reason, message: reason },
})

test.each<[string, Fault]>([
  [
    '410 in response to a watch',
    { cause: 'expired', relists: true, break: (response) => refuse(response, 410, 'Expired') },
  ],
  [
    '410 as an event',
    { cause: 'expired', relists: true, break: (response) => writeEvents(response, error(410, 'Expired')) },
  ],
  [
    '429',
    {
      cause: 'throttled',
      relists: false,
      break: (response) => refuse(response, 429, 'TooManyRequests', { 'retry-after': '0' }),
    },
  ],
  ['500', { cause: 'server', relists: false, break: (response) => refuse(response, 500, 'InternalError') }],
  ['403', { cause: 'refused', relists: false, break: (response) => refuse(response, 403, 'Forbidden') }],
  [
    '500 as an event',
    { cause: 'server', relists: false, break: (response) => writeEvents(response, error(500, 'InternalError')) },
  ],
  [
    'a line that is not JSON',
    { cause: 'malformed', relists: true, break: (response) => response.writeHead(200).write('{"type":"ADDED","obj\n') },
  ],
  [
    'an event without a name',
    { cause: 'malformed', relists: true, break: (response) => writeEvents(response, { type: 'ADDED', object: {} }) },
  ],
  ['a watch that ends at once', { cause: 'short', relists: false, break: (response) => response.writeHead(200).end() }],
  [
    'a connection that breaks before the response',
    { cause: 'connection', relists: false, break: (response) => response.destroy() },
  ],
  [
    'a connection that breaks during the watch',
    {
      cause: 'connection',
      relists: false,
      resumesFrom: '11',
      break: (response) => {
        writeEvents(response, added('b', 11))
        setTimeout(() => response.destroy(), 50)
      },
    },
  ],
])('the reflector recovers from %s and misses nothing', async (_, fault) => {
  await using running = await reflecting({
    list: (response, count) =>
      json(response, 200, count === 1 ? listOf(10, thing('a', 5)) : listOf(20, thing('a', 5), thing('l', 19))),
    watch: (response, count, query) => {
      if (count === 1) return fault.break(response, () => running.server)
      writeEvents(response, added('z', Number(query.get('resourceVersion')) + 1))
    },
  })
  await eventually(() => running.store.get('ns/z') !== undefined, 'the watch goes on')
  expect(await running.causes()).toEqual([fault.cause])
  expect(running.lists()).toBe(fault.relists ? 2 : 1)
  expect(running.versions[1]).toBe(fault.relists ? '20' : (fault.resumesFrom ?? '10'))
  expect(running.store.get('ns/l') !== undefined).toBe(fault.relists)
})

test('the first list is retried until the server is available', async () => {
  await using running = await reflecting({
    list: (response, count) =>
      count < 4 ? refuse(response, 503, 'ServiceUnavailable') : json(response, 200, listOf(10)),
    watch: (response) => writeEvents(response, added('b', 11)),
  })
  expect(running.reflector.hasSynced()).toBe(false)
  await running.reflector.synced()
  await eventually(() => running.store.size === 1, 'the event arrives')
})

test('refused connections are retried, and the watch resumes from its last version', async () => {
  await using running = await reflecting({ watch: (response) => writeEvents(response, added('b', 11)) })
  await eventually(() => running.store.size === 2, 'the first watch')
  await running.server.refuse()
  await eventually(async () => (await running.causes()).includes('connection'), 'the refusal is noticed')
  await running.server.listen()
  await eventually(() => running.watches() === 2, 'the second watch')
  expect([running.versions[1], running.lists()]).toEqual(['11', 1])
})

test('a silent watch is restarted', async () => {
  await using running = await reflecting(
    { watch: (response, count) => (count === 1 ? writeEvents(response) : writeEvents(response, added('b', 11))) },
    { silenceLimit: 100 },
  )
  await eventually(() => running.store.size === 2, 'the second watch')
  expect(await running.causes()).toContain('silent')
  expect(running.lists()).toBe(1)
})

test('the next watch resumes from a bookmark, which is no change', async () => {
  const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '77' } } }
  await using running = await reflecting({
    watch: (response, count, query) => {
      expect(query.get('allowWatchBookmarks')).toBe('true')
      expect(Number(query.get('timeoutSeconds'))).toBeGreaterThanOrEqual(300)
      expect(Number(query.get('timeoutSeconds'))).toBeLessThanOrEqual(600)
      writeEvents(response, bookmark)
      if (count === 1) response.end()
    },
  })
  await eventually(() => running.watches() === 2, 'the second watch')
  expect([running.versions[1], running.store.size, running.lists()]).toEqual(['77', 1, 1])
})

test.each<[string, { watch: Answers['watch'] }]>([
  ['watches', { watch: (response) => writeEvents(response, added('b', 11)) }],
  ['backs off after failures', { watch: (response) => refuse(response, 500, 'InternalError') }],
])('refresh lists at once while the reflector %s', async (_, answers) => {
  await using running = await reflecting(
    {
      ...answers,
      list: (response, count) =>
        json(response, 200, listOf(count === 1 ? 10 : 50, thing('a', 5), thing('c', 40 + count))),
    },
    { backoff: { initial: 600_000, max: 600_000, jitter: 0 } },
  )
  await eventually(() => running.watches() === 1, 'the watch')
  await Promise.all([running.reflector.refresh(), running.reflector.refresh()])
  expect(running.store.get('ns/c')?.metadata.resourceVersion).toBe('42')
  expect(running.lists()).toBe(2)
  await eventually(() => running.versions.at(-1) === '50', 'the next watch, from the list')
})

test('lists are paginated, and restarted if a page has expired', async () => {
  await using running = await reflecting(
    {
      list: (response, count, query) => {
        expect(query.get('limit')).toBe('2')
        const page = query.get('continue')
        if (page === 'old') return refuse(response, 410, 'Expired')
        if (page === null) {
          const metadata = { resourceVersion: '10', continue: count === 1 ? 'old' : 'second' }
          return json(response, 200, { metadata, items: [thing('a', 1), thing('b', 2)] })
        }
        json(response, 200, listOf(10, thing('c', 3)))
      },
      watch: (response) => writeEvents(response),
    },
    { pageSize: 2 },
  )
  await running.reflector.synced()
  expect([[...running.store.keys()], running.lists()]).toEqual([['ns/a', 'ns/b', 'ns/c'], 4])
})

test('a server that ends every watch at its first event gets at most one request a second', async () => {
  const began = performance.now()
  await using running = await reflecting({
    watch: (response, count) => {
      writeEvents(response, added('b', 10 + count))
      response.end()
    },
  })
  await eventually(() => running.watches() === 3, 'the third watch')
  expect(performance.now() - began).toBeGreaterThan(1_900)
  expect(await running.causes()).toEqual([])
})

test('managedFields are dropped before an object is stored', async () => {
  const fat = { ...thing('a', 1), metadata: { ...thing('a', 1).metadata, managedFields: [{ manager: 'kubectl' }] } }
  await using running = await reflecting({
    list: (response) => json(response, 200, listOf(10, fat)),
    watch: (response) =>
      writeEvents(response, { type: 'ADDED', object: { ...fat, metadata: { ...fat.metadata, uid: 'u', name: 'b' } } }),
  })
  await eventually(() => running.store.size === 2, 'the event arrives')
  expect(running.store.list().map(({ metadata }) => 'managedFields' in metadata)).toEqual([false, false])
})

test('a stopped reflector sends no requests and stores no events', async () => {
  let open: Parameters<typeof json>[0] | undefined
  await using running = await reflecting({
    watch: (response) => {
      open = response
      writeEvents(response)
    },
  })
  await eventually(() => open !== undefined, 'the watch')
  await running.end()
  const requests = running.server.received.length
  if (open && !open.destroyed) writeEvents(open, added('late', 11))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect([running.server.received.length, running.store.size]).toEqual([requests, 1])
})
