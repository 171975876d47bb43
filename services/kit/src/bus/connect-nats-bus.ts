import type { Bus, WorkerBus } from './bus.ts'
import type { NatsBusOptions } from './nats/options.ts'

/** The bus on NATS JetStream, see `nats/nats-bus.ts`. Its client is imported lazily, so that a process with the memory bus does not load it. */
export const connectNatsBus = async (options: NatsBusOptions): Promise<Bus> => {
  const { connectNatsBus: connect } = await import('./nats/nats-bus.ts')
  return connect(options)
}

/** The bus for workers in pods, see `nats/worker-bus.ts`. */
export const connectNatsWorkerBus = async (options: NatsBusOptions): Promise<WorkerBus> => {
  const { connectNatsWorkerBus: connect } = await import('./nats/worker-bus.ts')
  return connect(options)
}
