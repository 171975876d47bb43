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
  /** A client of one of its services. */
  client: <Definition extends ServiceDefinition>(definition: Definition) => RpcClient<Definition>
}

/** A data directory and a bus of its own, which go with it, unless some are given. */
export type ServiceForTestsOptions = { environment?: NodeJS.ProcessEnv } & Partial<Omit<LogsServiceOptions, 'config'>>

/** A client whose calls come from this machine, as those through an edge on it do. */
const fromThisMachine = <Client extends object>(client: Client): Client =>
  Object.fromEntries(
    Object.entries(client).map(([name, call]) => [
      name,
      (request: unknown, options: object = {}) => call(request, { peer: '127.0.0.1', ...options }),
    ]),
  ) as Client

/** The whole log service in this process; alone on files of its own unless told what it shares. */
export const openServiceForTests = async ({
  environment = {},
  dataDirectory: given,
  bus = undefined,
  ...options
}: ServiceForTestsOptions = {}): Promise<ServiceForTests> => {
  await using opened = new AsyncDisposableStack()
  const dataDirectory = given ?? opened.use(await temporaryDirectory()).path
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

/** A batch as a sender pushes it. */
export async function* batchOf(entries: readonly object[]) {
  yield { part: { $case: 'parameters' as const, value: {} } }
  yield { part: { $case: 'chunk' as const, value: Buffer.from(JSON.stringify({ entries })) } }
}
