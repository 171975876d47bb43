import { startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus, createMemoryBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { natsCommand, natsMissing } from './programs.ts'

/** A bus for tests; `address` is that of its server, if it has one, for other processes to connect to. */
export type RunningBus = AsyncDisposable & { bus: Bus; address: string | undefined }

export type TestBus = {
  name: string
  /** Whether this machine lacks it; the name then contains the reason. */
  isMissing: boolean
  start: () => Promise<RunningBus>
}

const startMemory = async (): Promise<RunningBus> => {
  const bus = createMemoryBus()
  return { bus, address: undefined, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() }
}

const startNats = async (): Promise<RunningBus> => {
  const server = await startNatsServer({ command: natsCommand })
  const bus = await connectNatsBus({ servers: [server.address], name: 'test', log: silentLog })
  return {
    bus,
    address: server.address,
    [Symbol.asyncDispose]: async () => {
      await bus[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** The bus implementations that every service supports, for `describe.each`. */
export const buses: readonly TestBus[] = [
  { name: 'a bus in memory', isMissing: false, start: startMemory },
  {
    name: natsMissing === undefined ? 'NATS' : `NATS (${natsMissing})`,
    isMissing: natsMissing !== undefined,
    start: startNats,
  },
]
