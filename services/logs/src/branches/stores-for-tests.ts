import { join } from 'node:path'
import { readConfig } from '@trellis/kit/config'
import { connectGrpc, serveGrpc } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { BranchServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import type { GleanBatchResponse } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { createPressure } from '../ingest/pressure.ts'
import { gleanBatchRpc } from '../ingest/rpc.ts'
import { type CatalogueTables, catalogueMigrations, createCatalogue } from '../segments/catalogue-store.ts'
import { createLogEngine } from '../threads/engine.ts'
import { type BranchNode, type BranchNodeOptions, createBranchNode } from './branch-node.ts'
import { branchConfig } from './config.ts'
import type { ActiveBranch } from './directory.ts'

export type Pushed = { text: string; source_id?: string; sequence?: number; timestamp_iso?: string; severity?: string }

/** A body as the edge passes it on. */
export async function* batchBody(entries: readonly Pushed[]) {
  yield { part: { $case: 'parameters' as const, value: { sourceId: 'app', contentEncoding: null } } }
  yield { part: { $case: 'chunk' as const, value: Buffer.from(JSON.stringify({ entries })) } }
}

export const nowhere: Parameters<BranchNode['gleanBatch']>[1] = {
  caller: { userId: 'local', kind: 'local', tier: 'local' },
  signal: new AbortController().signal,
  requestId: 'test',
  traceparent: undefined,
  head: { status: () => undefined, header: () => undefined },
}

/** An engine that accepts entries for any branch. */
export const openEngineIn = async (directory: string) => {
  const store = await openStore<CatalogueTables>({
    dataDirectory: directory,
    name: 'logs',
    migrations: catalogueMigrations,
  })
  const problems: string[] = []
  const engine = createLogEngine({
    directory: join(directory, 'logs'),
    catalogue: createCatalogue(store.db),
    onProblem: (problem) => problems.push(problem),
  })
  const push = async (branch: string | null, entries: readonly Pushed[], now = Date.now): Promise<void> => {
    const intake = { engine, pressure: createPressure(1e9), config: { maxBatchMegabytes: 32 }, now }
    await gleanBatchRpc({ ...intake, owner: { branch, tenantId: null } })(batchBody(entries) as never, nowhere)
  }
  return {
    engine,
    push,
    problems,
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose]()
      await store.close()
    },
  }
}

export type ServedBranch = AsyncDisposable & {
  slug: string
  address: string
  active: ActiveBranch
  push: (entries: readonly Pushed[]) => Promise<GleanBatchResponse>
  /** Stops its server. */
  leave: () => Promise<void>
}

/** A branch as the logs service uses it: over gRPC, with a folder of its own. */
export const serveBranch = async (
  slug: string,
  environment: Record<string, string> = {},
  options: Partial<BranchNodeOptions> = {},
): Promise<ServedBranch> => {
  const stack = new AsyncDisposableStack()
  const dataDirectory = options.dataDirectory ?? stack.use(await temporaryDirectory()).path
  const node = stack.use(
    await createBranchNode({
      config: readConfig(branchConfig, { BRANCH_SLUG: slug, BRANCH_KEY: 'key', ...environment }),
      notify: async () => undefined,
      log: silentLog,
      ...options,
      dataDirectory,
    }),
  )
  const server = await serveGrpc(node.implementations, { address: '127.0.0.1:0', drainMilliseconds: 50 })
  let isServed = true
  const leave = async () => {
    if (isServed) await server[Symbol.asyncDispose]()
    isServed = false
  }
  stack.defer(leave)
  const { client } = stack.use(connectGrpc(BranchServiceDefinition, server.address))
  return {
    slug,
    address: server.address,
    active: { slug, client },
    push: async (entries) => {
      const answer = await node.gleanBatch(batchBody(entries) as never, nowhere)
      return { accepted: 0, duplicates: 0, rejected: [], ...answer } as GleanBatchResponse
    },
    leave,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
