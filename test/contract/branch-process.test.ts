import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort, startNatsServer } from '@trellis/distributed/servers'
import { connectNatsBus } from '@trellis/kit/bus'
import { connectGrpc } from '@trellis/kit/rpc'
import { silentLog } from '@trellis/kit/telemetry'
import { branchEvents } from '@trellis/kit/workloads'
import { BranchServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { describe, expect, test } from 'vitest'
import { asStarted } from '../support/as-started.ts'
import { modulePath } from '../support/module-path.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'
import { startService } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const module = 'services/branch/src/main.ts'

const settingsOf = async (directory: string, overrides: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  BRANCH_SLUG: 'barn',
  BRANCH_KEY: 'key-of-barn',
  PORT: String(await freePort()),
  RPC_ADDRESS: `127.0.0.1:${await freePort()}`,
  RPC_SECRET: 'between us',
  METRICS_PORT: '0',
  TRELLIS_DATA_DIR: join(directory, 'barn'),
  ...overrides,
})

const push = (port: string, key: string | undefined, body: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}/api/glean/batch`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body,
  })

describe('a branch as a process', () => {
  test('a branch takes batches only with its own key, and serves only batches and probes', async () => {
    await using directory = await temporaryDirectory()
    // Keys of the installation in its environment do not open it.
    const settings = await settingsOf(directory.path, { SERVICE_API_KEY: 'api-key', SERVICE_BRANCH_KEY: 'shared-key' })
    await using _branch = await startService(module, settings)
    const { PORT: port } = settings
    for (const key of [undefined, 'wrong', 'api-key', 'shared-key'])
      expect((await push(port, key, '{"source_id": "x", "entries": [{"text": "y"}]}')).status, key).toBe(401)
    const taken = await push(port, 'key-of-barn', '{"source_id": "x", "entries": [{"text": "y"}, {}]}')
    expect(await taken.json()).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [{ index: 1, reason: 'text is missing.' }],
    })
    expect((await push(port, 'key-of-barn', 'x', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await push(port, 'key-of-barn', 'neither')).status).toBe(400)
    for (const path of ['health', 'ready']) expect((await fetch(`http://127.0.0.1:${port}/${path}`)).status).toBe(200)
    for (const path of ['', 'docs', 'logs/api/search', 'api/search', 'api/stats'])
      expect((await fetch(`http://127.0.0.1:${port}/${path}`)).status, path).toBe(404)
  })

  test.each([
    ['BRANCH_SLUG', { BRANCH_SLUG: '' }],
    ['BRANCH_SLUG', { BRANCH_SLUG: 'Not One' }],
    ['BRANCH_KEY', { BRANCH_KEY: '' }],
    ['BRANCH_KEY_SHA256', { BRANCH_KEY_SHA256: 'short' }],
    ['BRANCH_RETENTION_DAYS', { BRANCH_RETENTION_DAYS: '0' }],
  ])('an invalid %s is reported in one line', async (variable, overrides) => {
    await using directory = await temporaryDirectory()
    const child = spawn(process.execPath, [await modulePath(module)], {
      env: { ...asStarted, ...(await settingsOf(directory.path, overrides)) },
    })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    const [code] = await once(child, 'close')
    expect(code).toBe(1)
    expect(output.trim().split('\n')).toEqual([expect.stringContaining(variable)])
  })

  describe.skipIf(natsMissing)(`with NATS${natsMissing ? ` (skipped: ${natsMissing})` : ''}`, () => {
    test('a branch publishes its entry count on the bus', async () => {
      await using directory = await temporaryDirectory()
      const nats = await startNatsServer({ command: natsCommand })
      await using _nats = nats
      const settings = await settingsOf(directory.path, { NATS_URL: nats.address })
      const notices: BranchEvent[] = []
      await using bus = await connectNatsBus({ servers: [nats.address], name: 'test', log: silentLog })
      const stop = new AbortController()
      const working = bus.work(branchEvents, async ({ value }) => void notices.push(value), { signal: stop.signal })
      await using branch = await startService(module, settings)
      await expect.poll(() => notices.at(-1)).toMatchObject({ slug: 'barn', entryCount: 0 })
      await push(settings.PORT, 'key-of-barn', '{"source_id": "x", "entries": [{"text": "y"}]}')
      await expect.poll(() => notices.at(-1)?.entryCount).toBe(1)
      expect(notices.at(-1)?.lastSeen).toEqual(expect.any(String))
      stop.abort()
      await working
      await branch.end('SIGTERM')
    })
  })

  test('a branch starts without its bus, and callers with the secret search it over gRPC', async () => {
    await using directory = await temporaryDirectory()
    const settings = await settingsOf(directory.path, { NATS_URL: `127.0.0.1:${await freePort()}` })
    await using _branch = await startService(module, settings)
    await push(settings.PORT, 'key-of-barn', '{"source_id": "x", "entries": [{"text": "hay"}]}')
    const address = settings.RPC_ADDRESS
    using connection = connectGrpc(BranchServiceDefinition, address, { security: { secrets: ['between us'] } })
    expect(await connection.client.searchBranch({ limit: 5, order: 'time' })).toMatchObject({ total: 1 })
    using stranger = connectGrpc(BranchServiceDefinition, address)
    await expect(stranger.client.countEntries({})).rejects.toThrow()
  })
})
