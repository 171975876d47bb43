import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { connectInProcess, type Handlers, type RpcClient, type ServiceDefinition } from '@trellis/kit/rpc'
import { silentLog } from '@trellis/kit/telemetry'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { logsConfig } from './config.ts'
import { createLogsService } from './service.ts'
import type { LogsServiceOptions } from './service-options.ts'

export type ServiceForTests = AsyncDisposable & {
  dataDirectory: string
  /** A client of one of the service's rpc services. */
  client: <Definition extends ServiceDefinition>(definition: Definition) => RpcClient<Definition>
}

/** Without `dataDirectory` and `bus`, temporary ones are created and disposed of with the service. */
export type ServiceForTestsOptions = { environment?: NodeJS.ProcessEnv } & Partial<Omit<LogsServiceOptions, 'config'>>

/** A client whose calls come from this machine, like calls through a local edge. */
const fromThisMachine = <Client extends object>(client: Client): Client =>
  Object.fromEntries(
    Object.entries(client).map(([name, call]) => [
      name,
      (request: unknown, options: object = {}) => call(request, { peer: '127.0.0.1', ...options }),
    ]),
  ) as Client

/** The whole log service in this process. Without options for sharing it is the only user of its files. */
export const openServiceForTests = async ({
  environment = {},
  dataDirectory: configured,
  bus = undefined,
  ...options
}: ServiceForTestsOptions = {}): Promise<ServiceForTests> => {
  await using opened = new AsyncDisposableStack()
  const dataDirectory = configured ?? opened.use(await temporaryDirectory()).path
  const service = opened.use(
    await createLogsService({
      log: silentLog,
      ...options,
      config: readConfig(logsConfig, environment),
      dataDirectory,
      bus: bus ?? opened.use(createMemoryBus()),
    }),
  )
  const stack = opened.move()
  return {
    dataDirectory,
    client: (definition) => {
      const found = service.implementations.find((one) => one.definition.fullName === definition.fullName)
      if (!found) throw new Error(`The log service does not implement ${definition.fullName}.`)
      return fromThisMachine(connectInProcess(definition, found.handlers as Handlers<typeof definition>))
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** A batch in the form in which a sender pushes it. */
export async function* batchOf(entries: readonly object[]) {
  yield { part: { $case: 'parameters' as const, value: {} } }
  yield { part: { $case: 'chunk' as const, value: Buffer.from(JSON.stringify({ entries })) } }
}
