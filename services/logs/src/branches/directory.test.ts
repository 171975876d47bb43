import { once } from 'node:events'
import { createServer } from 'node:net'
import { createLog } from '@trellis/kit/telemetry'
import type { Branch } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { parseQuery } from '../search/query.ts'
import { createBranchDirectory } from './directory.ts'
import { createSharedSearch } from './shared-search.ts'
import { openEngineIn, serveBranch } from './stores-for-tests.ts'

const request = { query: parseQuery('pump'), filters: {}, limit: 10, order: 'relevance', withFacets: false } as const

/** An address that accepts connections without responding, and the number of its connections. */
const listenSilently = async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    address: `127.0.0.1:${port}`,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

test('a branch that is not ready is not connected to and not logged; ready, the first search reaches it', async () => {
  await using stack = new AsyncDisposableStack()
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', destination: { write: (text) => lines.push(text) } })
  const pod = stack.use(await listenSilently())
  const barn = stack.use(await serveBranch('barn'))
  await barn.push([{ text: 'the pump runs', source_id: 'app', sequence: 0 }])
  let branch: Partial<Branch> = { slug: 'barn', active: true, ready: false, rpcAddress: pod.address }
  const service = { listBranches: async () => ({ branches: [branch] }) }
  const directory = stack.use(createBranchDirectory({ service: service as never, security: {}, log }))
  const own = stack.use(await openEngineIn(stack.use(await temporaryDirectory()).path))
  const { engine } = createSharedSearch({ own: own.engine, directory, waitMilliseconds: 20_000, log })

  for (let round = 0; round < 3; round += 1)
    expect(await engine.search(request)).toMatchObject({ entries: [], missing: ['barn'] })
  expect(await directory.active()).toEqual([{ slug: 'barn', client: undefined }])
  expect(pod.connections()).toBe(0)
  expect(lines.filter((line) => line.includes('"err"'))).toEqual([])

  branch = { ...branch, ready: true, rpcAddress: barn.address }
  const found = await engine.search(request)
  expect(found.missing ?? []).toEqual([])
  expect(found.entries.map(({ entry }) => entry.text)).toEqual(['the pump runs'])

  branch = { ...branch, ready: false }
  expect(await directory.active()).toEqual([{ slug: 'barn', client: undefined }])
})
