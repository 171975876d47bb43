import { request as requestPlainly } from 'node:http'
import { request } from 'node:https'
import { createEdge, edgeConfig } from '@trellis/edge'
import { readConfig } from '@trellis/kit/config'
import { createTlsFiles, type RpcTls } from '@trellis/kit/rpc'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { branchConfig } from '@trellis/logs'
import { routes } from '@trellis/protos/edge/routes.ts'
import { BranchIntakeServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createIntake } from '../../services/branch/src/intake.ts'
import { createBranchProxy } from '../../services/edge/src/branches/branch-proxy.ts'
import { createBranchLocations } from '../../services/edge/src/branches/locations.ts'
import { canMakeCertificates, createAuthority } from '../support/certificates.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const key = 'key-of-the-branch'
const name = 'trellis.space.svc'
const canRun = canMakeCertificates()

describe.skipIf(!canRun)(`batches for a branch with a certificate${canRun ? '' : ' (skipped: no openssl)'}`, () => {
  const stack = new AsyncDisposableStack()
  let ours: RpcTls
  let theirs: RpcTls
  beforeAll(async () => {
    const { path } = stack.use(await temporaryDirectory())
    const certificateOf = (authority: string, holder: string): RpcTls => {
      const { authorityFile, issue } = createAuthority(path, authority)
      return { authorityFile, ...issue(holder), callers: [], serverName: name }
    }
    ours = certificateOf('authority', name)
    theirs = certificateOf('stranger', 'stranger.space.svc')
  })
  afterAll(() => stack.disposeAsync())

  /** Starts the intake of a branch; returns its address and a counter of received batches. */
  const serveBranch = async (tls: RpcTls) => {
    let batches = 0
    const gleanBatch = async () => {
      batches += 1
      return { accepted: 1, duplicates: 0, rejected: [] }
    }
    const config = readConfig(branchConfig, { BRANCH_SLUG: 'barn', BRANCH_KEY: key })
    const intake = stack.use(
      await createIntake({
        node: { gleanBatch } as never,
        config,
        shutdownSeconds: 1,
        tls: createTlsFiles(tls),
        log: silentLog,
        metrics: createMetrics({ processMetrics: false }),
      }),
    )
    return { address: await intake.listen('127.0.0.1', 0), batches: () => batches }
  }

  const serveEdge = async (httpAddress: string, tls?: RpcTls): Promise<string> => {
    const directory = { locateBranches: async () => ({ branches: [{ slug: 'barn', active: true, httpAddress }] }) }
    const branchProxy = stack.use(createBranchProxy(createBranchLocations({ directory, log: silentLog }), tls))
    const { fullName } = BranchIntakeServiceDefinition
    const edge = stack.use(
      await createEdge({
        config: readConfig(edgeConfig, {}),
        routes,
        backends: [{ name: fullName, mount: '/logs', heartbeat: 'heartbeat', client: {}, proxyToBranch: branchProxy }],
        missing: () => ({}),
        log: silentLog,
        metrics: createMetrics({ processMetrics: false }),
      }),
    )
    return edge.listen('127.0.0.1', 0)
  }

  const push = (origin: string, bearer = key) =>
    fetch(`${origin}/logs/branches/barn/api/glean/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      body: JSON.stringify({ source_id: 'till', entries: [{ text: 'Out of paper' }] }),
    })

  test('the edge passes batches on over TLS to an IP address whose certificate has the configured name', async () => {
    const branch = await serveBranch(ours)
    expect(branch.address).toMatch(/^https:\/\/127\.0\.0\.1:/)
    const origin = await serveEdge(branch.address, ours)
    const response = await push(origin)
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 200,
      body: { accepted: 1 },
    })
    expect((await push(origin, 'wrong')).status).toBe(401)
    expect(branch.batches()).toBe(1)
  })

  test('batches get 503 if either certificate has another authority or name, or is missing', async () => {
    const [stranger, branch] = [await serveBranch(theirs), await serveBranch(ours)]
    const misnamed = { ...ours, serverName: 'other.space.svc' }
    for (const origin of [
      await serveEdge(stranger.address, ours),
      await serveEdge(branch.address, misnamed),
      await serveEdge(branch.address, { ...theirs, authorityFile: ours.authorityFile }),
      await serveEdge(branch.address),
    ])
      expect((await push(origin)).status).toBe(503)
    expect([stranger.batches(), branch.batches()]).toEqual([0, 0])
  })

  test('a branch refuses senders without a certificate and in clear text', async () => {
    const branch = await serveBranch(ours)
    const { port } = new URL(branch.address)
    const path = '/api/glean/batch'
    const options = { host: '127.0.0.1', port, path, method: 'POST', headers: { authorization: `Bearer ${key}` } }
    const outcome = (sent: ReturnType<typeof request>) =>
      new Promise<string>((resolve) => {
        sent.once('response', ({ statusCode }) => resolve(`answered ${statusCode}`))
        sent.once('error', () => resolve('refused'))
        sent.end('{}')
      })
    const { ca } = createTlsFiles(ours)()
    expect(await outcome(request({ ...options, ca, servername: name }))).toBe('refused')
    expect(await outcome(requestPlainly(options))).toBe('refused')
    expect(branch.batches()).toBe(0)
  })
})
