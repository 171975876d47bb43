import type { Bus, WorkerBus } from './bus.ts'
import type { NatsBusOptions } from './nats/options.ts'

/** The bus on NATS JetStream, see there; its client is loaded by the first who asks for it, so that one process on files does without. */
export const connectNatsBus = async (options: NatsBusOptions): Promise<Bus> => {
  const { connectNatsBus: connect } = await import('./nats/nats-bus.ts')
  return connect(options)
}

/** The bus as a worker has it, see there. */
export const connectNatsWorkerBus = async (options: NatsBusOptions): Promise<WorkerBus> => {
  const { connectNatsWorkerBus: connect } = await import('./nats/worker-bus.ts')
  return connect(options)
}
