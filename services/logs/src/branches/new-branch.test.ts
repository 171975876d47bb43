import { once } from 'node:events'
import { createServer } from 'node:net'
import { type Log, silentLog } from '@trellis/kit/telemetry'
import type { Branch } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { createBranchDirectory } from './directory.ts'
import { createSharedSearch } from './shared-search.ts'
import { openEngineIn, serveBranch } from './stores-for-tests.ts'

/** An address without a listener. */
const closedAddress = async (): Promise<string> => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return `127.0.0.1:${port}`
}

/** A log that records its lines, with the fields that would print an error. */
const createRecordedLog = () => {
  const lines: { level: string; fields: Record<string, unknown> }[] = []
  const record = (level: string) => (fields: unknown) =>
    void lines.push({ level, fields: typeof fields === 'object' ? { ...fields } : {} })
  const log = { ...silentLog, info: record('info'), warn: record('warn'), error: record('error') } as Log
  return { lines, log }
}

test('failures of a new branch are one info line until it has responded, and warnings after that', async () => {
  await using folder = await temporaryDirectory()
  await using own = await openEngineIn(folder.path)
  await using barn = await serveBranch('barn')
  await barn.push([{ text: 'pump barn' }])
  const { lines, log } = createRecordedLog()
  let listed: Partial<Branch> = { slug: 'barn', active: true, ready: false, rpcAddress: '' }
  const service = { listBranches: async () => ({ branches: [listed] }) }
  using directory = createBranchDirectory({ service: service as never, security: {}, log })
  const { engine } = createSharedSearch({ own: own.engine, directory, waitMilliseconds: 500, log })
  const search = () => engine.search({ query: null, filters: {}, limit: 10, order: 'time', withFacets: false })

  expect(await search()).toMatchObject({ total: 0, missing: ['barn'] })
  expect(lines).toEqual([])
  // Its pod is ready before its DNS name resolves everywhere.
  listed = { ...listed, ready: true, rpcAddress: await closedAddress() }
  for (let round = 0; round < 3; round++) expect(await search()).toMatchObject({ missing: ['barn'] })
  expect(lines).toEqual([{ level: 'info', fields: { branch: 'barn', reason: expect.any(String) } }])
  listed = { ...listed, ready: false }
  expect(await search()).toMatchObject({ missing: ['barn'] })
  listed = { ...listed, ready: true, rpcAddress: barn.address }
  expect(await search()).toMatchObject({ total: 1, missing: [] })
  expect(lines).toHaveLength(1)

  await barn.leave()
  for (let round = 0; round < 2; round++) expect(await search()).toMatchObject({ missing: ['barn'] })
  expect(lines.slice(1)).toEqual([{ level: 'warn', fields: { branch: 'barn', err: expect.any(Error) } }])
})
