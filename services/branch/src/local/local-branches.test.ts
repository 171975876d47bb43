import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectGrpc, connectInProcess } from '@trellis/kit/rpc'
import { type Log, silentLog } from '@trellis/kit/telemetry'
import { BranchServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { branchEnvironment } from './config.ts'
import { createLocalBranches } from './local-branches.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trellis-local-branches-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const security = { secrets: ['between us'] }

/** Opens branches in a folder, and records the pids of their processes. */
const open = async (name: string) => {
  const pids: number[] = []
  const log: Log = {
    ...silentLog,
    info: (context) => {
      if ('pid' in context && typeof context.pid === 'number') pids.push(context.pid)
    },
  }
  const environment = { ...branchEnvironment(process.env), RPC_SECRET: 'between us', LOG_LEVEL: 'error' }
  const local = await createLocalBranches({ directory: join(directory, name), basePort: 18_538, environment, log })
  return {
    pids,
    client: connectInProcess(BranchesServiceDefinition, local.handlers),
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}
const graft = (slug: string) => ({ slug, label: slug, anonymize: false, retentionDays: 30 })

const push = async (address: string, key: string, entries: object[]): Promise<Response> =>
  fetch(`${address}/api/glean/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ source_id: 'app', entries }),
  })

const countIn = async (rpcAddress: string): Promise<number> => {
  using connection = connectGrpc(BranchServiceDefinition, rpcAddress, { security })
  return (await connection.client.countEntries({})).entryCount
}

test('a branch that is killed during a batch is restarted with all acknowledged entries', async () => {
  await using branches = await open('killed')
  const { branch, apiKey } = await branches.client.graftBranch(graft('barn'))
  const address = branch?.httpAddress ?? ''
  const batch = (number: number) =>
    Array.from({ length: 500 }, (_, index) => ({ text: `line ${number}-${index}`, sequence: number * 500 + index }))
  let acknowledged = 0
  const sending = (async () => {
    for (let number = 0; ; number++) {
      const response = await push(address, apiKey, batch(number))
      acknowledged += ((await response.json()) as { accepted: number }).accepted
    }
  })().catch(() => undefined)
  await expect.poll(() => acknowledged).toBeGreaterThan(2_000)
  process.kill(branches.pids.at(-1) ?? 0, 'SIGKILL')
  await sending
  const again = async () => (await branches.client.listBranches({})).branches[0]
  await expect.poll(() => branches.pids.length).toBe(2)
  await expect.poll(async () => (await again())?.ready).toBe(true)
  const rpcAddress = (await again())?.rpcAddress ?? ''
  const stored = await countIn(rpcAddress)
  expect(stored).toBeGreaterThanOrEqual(acknowledged)
  const repeated = await push(address, apiKey, batch(0))
  expect(await repeated.json()).toEqual({ accepted: 0, duplicates: 500, rejected: [] })
  expect(await countIn(rpcAddress)).toBe(stored)
})

test('a branch stores its key as a hash, has its own folder, and requires the secret for calls', async () => {
  await using branches = await open('stored')
  const { branch, apiKey } = await branches.client.graftBranch(graft('barn'))
  expect(apiKey).toMatch(/^branch_[\w-]{32}$/)
  expect(branch).toMatchObject({ slug: 'barn', active: true, ready: true, dataDir: join(directory, 'stored', 'barn') })
  await push(branch?.httpAddress ?? '', apiKey, [{ text: 'one' }])
  const files = await readdir(join(directory, 'stored'), { recursive: true, withFileTypes: true })
  for (const file of files.filter((one) => one.isFile()))
    expect((await readFile(join(file.parentPath, file.name))).includes(apiKey), file.name).toBe(false)
  using stranger = connectGrpc(BranchServiceDefinition, branch?.rpcAddress ?? '')
  await expect(stranger.client.countEntries({})).rejects.toMatchObject({ cause: { code: 16 } })
  await expect(branches.client.graftBranch(graft('barn'))).rejects.toMatchObject({ kind: 'conflict' })
  await expect(branches.client.graftBranch(graft('../barn'))).rejects.toMatchObject({ kind: 'invalid' })
})

test('each branch gets the next free port and keeps it', async () => {
  await using branches = await open('ports')
  const first = (await branches.client.graftBranch(graft('one'))).branch?.port ?? 0
  const taken = createServer().listen(first + 1, '127.0.0.1')
  try {
    const second = (await branches.client.graftBranch(graft('two'))).branch?.port ?? 0
    expect(second).toBeGreaterThan(first + 1)
    const stopped = await branches.client.setBranchState({ slug: 'one', active: false })
    expect(stopped).toMatchObject({ active: false, ready: false, port: first })
    expect((await branches.client.graftBranch(graft('three'))).branch?.port).toBeGreaterThan(second)
    expect(await branches.client.setBranchState({ slug: 'one', active: true })).toMatchObject({
      ready: true,
      port: first,
    })
    await expect(branches.client.setBranchState({ slug: 'unknown', active: true })).rejects.toMatchObject({
      kind: 'not_found',
    })
  } finally {
    taken.close()
  }
})

test('counts of stopped branches are stored, and only active branches are started with the server', async () => {
  {
    await using branches = await open('states')
    for (const slug of ['still', 'busy']) {
      const { branch, apiKey } = await branches.client.graftBranch(graft(slug))
      await push(branch?.httpAddress ?? '', apiKey, [{ text: 'one' }, { text: 'two' }])
    }
    const stopped = await branches.client.setBranchState({ slug: 'still', active: false })
    expect(stopped).toMatchObject({ entryCount: 2, lastSeen: expect.any(String) })
  }
  await using again = await open('states')
  await expect
    .poll(async () => (await again.client.listBranches({})).branches)
    .toMatchObject([
      { slug: 'busy', active: true, ready: true, entryCount: 2 },
      { slug: 'still', active: false, ready: false, entryCount: 2 },
    ])
  expect(again.pids).toHaveLength(1)
})
