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
} from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { createMusicService, generationWorker, musicConfig } from '../src/mod.ts'

export const local: Caller = { userId: 'local', kind: 'local', tier: 'local' }

/** The music service as it is embedded, on a directory; disposing it is what a stop of the server does. */
export const openService = async (directory: string, environment: Record<string, string> = {}) => {
  await using opened = new AsyncDisposableStack()
  const config = readConfig(musicConfig, environment)
  const filesDirectory = join(directory, 'files')
  const bus = opened.use(createMemoryBus())
  const files = await openDirectoryFiles(filesDirectory)
  const worker = generationWorker({ files: { kind: 'directory', path: filesDirectory }, workers: 2 })
  const local = opened.use(createLocalWorkloads({ bus, kinds: { WORKLOAD_GENERATION: worker }, log: silentLog }))
  const workloads = connectInProcess(WorkloadsServiceDefinition, local.handlers)
  const service = opened.use(
    await createMusicService({
      config,
      dataDirectory: directory,
      bus,
      files,
      workloads,
      deskWorker: { ...worker, concurrency: 1 },
      log: silentLog,
    }),
  )
  const [implementation] = service.implementations
  const handlers = implementation?.handlers as Handlers<typeof MusicServiceDefinition>
  const stack = opened.move()
  return {
    client: connectInProcess(MusicServiceDefinition, handlers),
    implementation,
    files,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
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

/** Uploads bytes as a chain of its own. */
export const upload = (
  { client }: OpenService,
  bytes: Uint8Array,
  { filename = 'piece.wav', name, ...options }: { filename?: string; name?: string } & CallOptions = {},
): Promise<Chain> => client.createChain(form(bytes, filename, name), { caller: local, ...options })
