import { startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus, createMemoryBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { natsCommand, natsMissing } from './programs.ts'

/** A bus that tests stand on; `address` is where its server is, which other processes may join, if it has one. */
export type RunningBus = AsyncDisposable & { bus: Bus; address: string | undefined }

export type TestBus = {
  name: string
  /** Whether this machine lacks it; the name then says why. */
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

/** The buses that every service stands on, for `describe.each`. */
export const buses: readonly TestBus[] = [
  { name: 'a bus in memory', isMissing: false, start: startMemory },
  {
    name: natsMissing === undefined ? 'NATS' : `NATS (${natsMissing})`,
    isMissing: natsMissing !== undefined,
    start: startNats,
  },
]
