import type { Bus } from './bus.ts'
import type { NatsBusOptions } from './nats/options.ts'

/** The bus on NATS JetStream, see there; its client is loaded by the first who asks for it, so that one process on files does without. */
export const connectNatsBus = async (options: NatsBusOptions): Promise<Bus> => {
  const { connectNatsBus: connect } = await import('./nats/nats-bus.ts')
  return connect(options)
}
