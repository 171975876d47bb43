import { join } from 'node:path'
import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { openDirectoryFiles } from '@trellis/kit/files'
import { type Caller, type CallOptions, connectInProcess, type Handlers } from '@trellis/kit/rpc'
import { silentLog } from '@trellis/kit/telemetry'
import { createLocalWorkloads } from '@trellis/kit/workloads'
import {
  type Chain,
  type CreateChainRequest,
  MusicServiceDefinition,
  type Node,
} from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { createMusicService, generationWorker, musicConfig } from '../src/mod.ts'
import type { ModelRuntime } from '../src/worker/environment.ts'

export const local: Caller = { userId: 'local', kind: 'local', tier: 'local' }

/** Embedded dependencies of one or several replicas of the service, in a directory. */
export const openPorts = async (directory: string, modelRuntime: Partial<ModelRuntime> = {}) => {
  await using opened = new AsyncDisposableStack()
  const filesDirectory = join(directory, 'files')
  const bus = opened.use(createMemoryBus())
  const files = await openDirectoryFiles(filesDirectory)
  const location = { kind: 'directory', path: filesDirectory } as const
  const worker = generationWorker({ files: location, workers: 2, modelRuntime })
  const local = opened.use(createLocalWorkloads({ bus, kinds: { WORKLOAD_GENERATION: worker }, log: silentLog }))
  const workloads = connectInProcess(WorkloadsServiceDefinition, local.handlers)
  const stack = opened.move()
  const ports = { dataDirectory: directory, bus, files, workloads, localWorker: { ...worker, concurrency: 1 } }
  return { ...ports, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

export type Ports = Awaited<ReturnType<typeof openPorts>>

/** One replica of the music service; disposing it simulates a stop of its process. */
export const openReplica = async (
  { dataDirectory, bus, files, workloads, localWorker }: Ports,
  { environment = {}, now }: { environment?: Record<string, string>; now?: () => Date } = {},
) => {
  const service = await createMusicService({
    config: readConfig(musicConfig, environment),
    ...{ dataDirectory, bus, files, workloads, localWorker },
    log: silentLog,
    ...(now ? { now } : {}),
  })
  const [implementation] = service.implementations
  const handlers = implementation?.handlers as Handlers<typeof MusicServiceDefinition>
  return {
    client: connectInProcess(MusicServiceDefinition, handlers),
    implementation,
    files,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** The embedded music service, in a directory; disposing it simulates a stop of the server. */
export const openService = async (
  directory: string,
  environment: Record<string, string> = {},
  modelRuntime: Partial<ModelRuntime> = {},
) => {
  await using opened = new AsyncDisposableStack()
  const ports = opened.use(await openPorts(directory, modelRuntime))
  const service = opened.use(await openReplica(ports, { environment }))
  const stack = opened.move()
  return { ...service, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

export type OpenService = Awaited<ReturnType<typeof openService>>

async function* form(
  bytes: Uint8Array,
  filename: string,
  name: string | undefined,
): AsyncGenerator<CreateChainRequest> {
  yield { part: { $case: 'parameters', value: { name: '' } } }
  if (name !== undefined) yield { part: { $case: 'field', value: { name: 'name', value: name } } }
  yield { part: { $case: 'file', value: { name: 'file', filename, mediaType: 'application/octet-stream' } } }
  for (let at = 0; at < bytes.length; at += 65_536) {
    yield { part: { $case: 'chunk', value: bytes.subarray(at, at + 65_536) } }
  }
}

/** Uploads bytes as a new chain. */
export const upload = (
  { client }: Pick<OpenService, 'client'>,
  bytes: Uint8Array,
  { filename = 'piece.wav', name, ...options }: { filename?: string; name?: string } & CallOptions = {},
): Promise<Chain> => client.createChain(form(bytes, filename, name), { caller: local, ...options })

/** Follows a chain's events until none of its nodes is being generated. */
export const settled = async (
  { client }: Pick<OpenService, 'client'>,
  chainId: string,
  options: CallOptions = { caller: local },
): Promise<Chain> => {
  for await (const _ of client.streamChainEvents({ chainId }, options)) {
    const chain = await client.getChain({ chainId }, options)
    if (chain.nodes.every(({ status }) => status !== 'NODE_STATUS_GENERATING')) return chain
  }
  throw new Error('The events ended before the generations did')
}

export const nodeOf = (chain: Chain, id: string | undefined): Node => {
  const node = chain.nodes.find(({ nodeId }) => nodeId === id)
  if (!node) throw new Error(`There is no node ${id}`)
  return node
}
