import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bus } from '@trellis/kit/bus'
import type { FilesLocation } from '@trellis/kit/files'
import type { RpcClient } from '@trellis/kit/rpc'
import type { StoreLocation } from '@trellis/kit/store'
import { CollectServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import { LogsServiceDefinition, type Task } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { openServiceForTests } from '../service-for-tests.ts'

export type CollectClient = RpcClient<typeof CollectServiceDefinition>
export type LogsClient = RpcClient<typeof LogsServiceDefinition>

export type ServiceOptions = {
  directory: string
  bus: Bus
  shared?: { store: StoreLocation; files: FilesLocation }
  environment?: Record<string, string>
}

/** The log service with its clients; the sources file is that in the folder. */
export const openService = async ({ directory, bus, shared, environment = {} }: ServiceOptions) => {
  const service = await openServiceForTests({
    environment: { SERVICE_SOURCES_FILE: join(directory, 'sources.yaml'), ...environment },
    dataDirectory: join(directory, 'data'),
    bus,
    ...(shared && { store: shared.store, filesLocation: shared.files }),
  })
  const logs = service.client(LogsServiceDefinition)
  const collect = service.client(CollectServiceDefinition)
  return {
    logs,
    collect,
    client: service.client,
    /** Follows a task to its end. */
    finished: async ({ taskId }: Task): Promise<Task> => {
      for await (const { event } of logs.watchTask({ taskId })) if (event?.$case === 'done') return event.value
      throw new Error('The stream of the task ended before the task.')
    },
    texts: async (source?: string): Promise<string[]> => {
      const { entries } = await logs.search({ order: 'time', limit: 1000, ...(source && { source }) })
      return entries.map(({ text }) => text).toReversed()
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** Writes a sources file, and creates a folder for logs beside it. */
export const writeSources = async (directory: string, sources: string) => {
  await mkdir(join(directory, 'logs'), { recursive: true })
  await writeFile(join(directory, 'sources.yaml'), `sources:\n${sources}`)
}
