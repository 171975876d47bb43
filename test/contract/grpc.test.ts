import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createEdge, edgeConfig } from '@trellis/edge'
import { readConfig } from '@trellis/kit/config'
import {
  connectGrpc,
  InsecureListener,
  implementation,
  openGrpcChannel,
  type RpcSecurity,
  serveGrpc,
} from '@trellis/kit/rpc'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { HealthDefinition } from '@trellis/protos/ts/grpc/health/v1/health.ts'
import { afterEach, describe, expect, test } from 'vitest'
import openapi from '../probe/gen/edge/openapi.json' with { type: 'json' }
import { routes } from '../probe/gen/edge/routes.ts'
import { ProbeServiceDefinition } from '../probe/gen/ts/trellis/probe/v1/probe.ts'
import { createProbeState, probeHandlers } from '../probe/handlers.ts'
import { canMakeCertificates, createAuthority } from '../support/certificates.ts'
import { modulePath } from '../support/module-path.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { waitFor } from '../support/wait-for.ts'

const handlers = () => probeHandlers(createProbeState())
const account = { userId: 'someone', kind: 'account', tier: 'paid' } as const

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const serve = async (security: RpcSecurity = {}, address = '127.0.0.1:0') =>
  stack.use(
    await serveGrpc([implementation(ProbeServiceDefinition, handlers())], {
      address,
      security,
      drainMilliseconds: 200,
    }),
  )

const connect = (address: string, security: RpcSecurity = {}, deadlineMilliseconds?: number) =>
  stack.use(
    connectGrpc(ProbeServiceDefinition, address, {
      security,
      ...(deadlineMilliseconds === undefined ? {} : { deadlineMilliseconds }),
    }),
  ).client

const startReplica = async (name: string, address = '127.0.0.1:0') => {
  const child: ChildProcess = spawn(process.execPath, [await modulePath('test/probe/replica.ts'), address, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (!child.stdout) throw new TypeError('A replica prints its address on stdout.')
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  stack.defer(() => end('SIGKILL'))
  return { address: line.toString().trim(), end, child }
}

describe('authentication of callers', () => {
  test('a server refuses to listen on a reachable address without a secret or certificates', async () => {
    await expect(serve({}, '0.0.0.0:0')).rejects.toThrow(InsecureListener)
  })

  test('callers need one of the accepted secrets', async () => {
    const { address } = await serve({ secrets: ['new', 'old'] })
    for (const secrets of [['new'], ['old', 'new']]) {
      expect(await connect(address, { secrets }).echo({ id: 'x' }, { caller: account })).toMatchObject({
        userId: 'someone',
      })
    }
    for (const security of [{}, { secrets: ['wrong'] }])
      await expect(connect(address, security).echo({ id: 'x' })).rejects.toMatchObject({ kind: 'internal' })
  })

  test('health checks need no secret', async () => {
    const { address } = await serve({ secrets: ['secret'] })
    const { client } = stack.use(connectGrpc(HealthDefinition, address))
    expect(await client.check({ service: '' })).toEqual({ status: 'SERVING' })
    expect(await client.check({ service: 'trellis.probe.v1.ProbeService' })).toEqual({ status: 'SERVING' })
    expect(await client.check({ service: 'nothing' })).toEqual({ status: 'SERVICE_UNKNOWN' })
  })

  test.skipIf(!canMakeCertificates())(
    'with certificates, only listed callers may act for users, and others are refused (needs openssl)',
    async () => {
      const directory = stack.use(await temporaryDirectory())
      const authority = createAuthority(directory.path)
      const stranger = createAuthority(directory.path, 'stranger')
      const tls = (name: string, from = authority) => ({
        tls: { ...from.issue(name), authorityFile: authority.authorityFile, callers: ['edge'], serverName: 'logs' },
      })
      const { address } = await serve(tls('logs'))
      expect(await connect(address, tls('edge')).echo({ id: 'x' }, { caller: account })).toMatchObject({
        userId: 'someone',
      })
      expect(await connect(address, tls('music')).echo({ id: 'x' }, { caller: account })).toMatchObject({
        userId: 'anonymous',
      })
      await expect(connect(address, tls('edge', stranger), 3_000).echo({ id: 'x' })).rejects.toMatchObject({
        status: expect.any(Number),
      })
      await expect(connect(address, {}, 3_000).echo({ id: 'x' })).rejects.toMatchObject({ status: expect.any(Number) })
    },
  )
})

describe('replicas', () => {
  test('replicas share calls, and safe calls survive the kill or shutdown of a replica', async () => {
    const one = await startReplica('one')
    const two = await startReplica('two')
    const client = connect(`${one.address},${two.address}`)
    const call = async () => (await client.guarded({}, { isSafe: true })).id
    await waitFor(async () =>
      expect(new Set([await call(), await call(), await call()])).toEqual(new Set(['one', 'two'])),
    )
    const answers: Promise<string>[] = []
    for (let count = 0; count < 300; count += 1) {
      answers.push(call())
      if (count === 100) void one.end('SIGKILL')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(await Promise.all(answers)).toHaveLength(300)
    const again = await startReplica('again', one.address)
    await waitFor(async () => expect(await call()).toBe('again'))
    for (let count = 0; count < 300; count += 1) {
      answers.push(call())
      if (count === 100) void again.end('SIGTERM')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(await Promise.all(answers)).toHaveLength(600)
  })

  test('calls wait for a replica that has not started yet, and services share one channel to it', async () => {
    const gone = await startReplica('gone')
    await gone.end('SIGKILL')
    const channel = stack.use(openGrpcChannel(gone.address))
    const answer = channel.client(ProbeServiceDefinition).guarded({})
    const health = channel.client(HealthDefinition).check({ service: '' })
    await startReplica('first', gone.address)
    expect(await answer).toMatchObject({ id: 'first' })
    expect(await health).toMatchObject({ status: 'SERVING' })
  })

  test('calls fail at once as unavailable while all replicas are gone, and succeed when one is back', async () => {
    const one = await startReplica('one')
    const client = connect(one.address)
    expect(await client.guarded({})).toMatchObject({ id: 'one' })
    await one.end('SIGKILL')
    const began = performance.now()
    await expect(client.guarded({}, { isSafe: true })).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterSeconds: 1,
    })
    expect(performance.now() - began).toBeLessThan(5_000)
    await startReplica('two', one.address)
    await waitFor(async () => expect(await client.guarded({})).toMatchObject({ id: 'two' }))
  })
})

test('a call past its deadline fails as upstream_timeout and its handler is aborted', async () => {
  const state = createProbeState()
  let stopped = false
  const slow = {
    ...probeHandlers(state),
    guarded: (_request: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<{ id: string }>((resolve) => {
        signal.addEventListener('abort', () => {
          stopped = true
          resolve({ id: 'late' })
        })
      }),
  }
  const server = stack.use(
    await serveGrpc([implementation(ProbeServiceDefinition, slow)], { address: '127.0.0.1:0', drainMilliseconds: 200 }),
  )
  await expect(connect(server.address, {}, 150).guarded({})).rejects.toMatchObject({ kind: 'upstream_timeout' })
  await waitFor(() => expect(stopped).toBe(true))
})

test('an upload whose sender aborts the call never looks complete to its handler', async () => {
  const ends: string[] = []
  const watched = {
    ...probeHandlers(createProbeState()),
    push: async (messages: AsyncIterable<unknown>) => {
      try {
        for await (const _ of messages) ends.push('message')
        ends.push('whole')
      } catch {
        ends.push('broken off')
      }
      return { files: [], sizes: [], digests: [], fields: {} }
    },
  }
  const server = stack.use(
    await serveGrpc([implementation(ProbeServiceDefinition, watched)], {
      address: '127.0.0.1:0',
      drainMilliseconds: 200,
    }),
  )
  for (let round = 0; round < 10; round++) {
    ends.length = 0
    const controller = new AbortController()
    using connection = connectGrpc(ProbeServiceDefinition, server.address)
    const received = Promise.withResolvers<void>()
    async function* parts() {
      yield { part: { $case: 'parameters' as const, value: {} } }
      yield { part: { $case: 'chunk' as const, value: Buffer.from('half of it') } }
      await received.promise
    }
    const pushed = connection.client.push(parts(), { signal: controller.signal }).catch(() => undefined)
    await waitFor(() => expect(ends).toEqual(['message', 'message']))
    controller.abort()
    await waitFor(() => expect(ends.at(-1)).toBe('broken off'))
    received.resolve()
    await pushed
  }
})

test('a call to a peer that accepts connections but never answers times out', async () => {
  const mute = createServer(() => undefined).listen(0, '127.0.0.1')
  stack.defer(() => void mute.close())
  await once(mute, 'listening')
  const address = mute.address()
  if (typeof address !== 'object' || address === null) throw new TypeError('The server must listen on a port.')
  await expect(connect(`127.0.0.1:${address.port}`, {}, 1_000).guarded({})).rejects.toMatchObject({ status: 504 })
})

test('a call that outlasts the drain of its server fails as unavailable', async () => {
  const started = Promise.withResolvers<void>()
  const endless = {
    ...probeHandlers(createProbeState()),
    guarded: () => {
      started.resolve()
      return new Promise<{ id: string }>(() => undefined)
    },
  }
  const server = await serveGrpc([implementation(ProbeServiceDefinition, endless)], {
    address: '127.0.0.1:0',
    drainMilliseconds: 50,
  })
  const failure = expect(connect(server.address).guarded({})).rejects.toMatchObject({ status: 503 })
  await started.promise
  await server[Symbol.asyncDispose]()
  await failure
})

test('health changes to NOT_SERVING while a server drains', async () => {
  const server = await serveGrpc([implementation(ProbeServiceDefinition, handlers())], {
    address: '127.0.0.1:0',
    drainMilliseconds: 2_000,
  })
  const { client } = stack.use(connectGrpc(HealthDefinition, server.address))
  const seen: (string | undefined)[] = []
  const watching = (async () => {
    for await (const { status } of client.watch({ service: '' })) seen.push(status)
  })().catch(() => undefined)
  await waitFor(() => expect(seen).toEqual(['SERVING']))
  await server[Symbol.asyncDispose]()
  await watching
  expect(seen).toEqual(['SERVING', 'NOT_SERVING'])
})

test('an invalid address is refused with a TypeError', () => {
  for (const wrong of ['', 'localhost', '127.0.0.1', 'a:1,b:2', 'http://localhost:80'])
    expect(() => connectGrpc(ProbeServiceDefinition, wrong)).toThrow(TypeError)
})

test('an event stream survives the loss of its replica: each event arrives once and in order', async () => {
  const one = await startReplica('one')
  const two = await startReplica('two')
  const edge = stack.use(
    await createEdge({
      config: readConfig(edgeConfig, { SHUTDOWN_SECONDS: '1' }),
      routes,
      backends: [
        {
          name: 'trellis.probe.v1.ProbeService',
          mount: '/probe',
          heartbeat: 'keepalive',
          client: connect(`${one.address},${two.address}`) as never,
          isRemote: true,
        },
      ],
      openapi: openapi as never,
      missing: () => ({}),
      log: silentLog,
      metrics: createMetrics({ processMetrics: false }),
    }),
  )
  const origin = await edge.listen('127.0.0.1', 0)
  const following = Array.from({ length: 10 }, async () => (await fetch(`${origin}/probe/api/count?to=200`)).text())
  await new Promise((resolve) => setTimeout(resolve, 300))
  await one.end('SIGKILL')
  const again = await startReplica('again', one.address)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await two.end('SIGTERM')
  const texts = await Promise.all(following)
  void again
  for (const text of texts) {
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    expect(ids).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
    expect(text).toContain('event: done')
    expect(text).not.toContain('event: failed')
  }
})
