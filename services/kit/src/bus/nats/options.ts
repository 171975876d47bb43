import type { Log } from '../../telemetry/mod.ts'

/** The credentials of this process. A credentials file is passed as its text (an NKey seed with its JWT). */
export type NatsCredentials = { user: string; password: string } | { token: string } | { credentials: string }

/** TLS settings, as PEM text or as paths to it; `{}` requires TLS with the system's certificate authorities. */
export type NatsTls = {
  ca?: string
  caFile?: string
  cert?: string
  certFile?: string
  key?: string
  keyFile?: string
}

/** Storage of streams on the server. The kind is fixed when a stream is created; replicas and bytes may change later. */
export type NatsStorage = {
  kind: 'file' | 'memory'
  /** Replicas in a cluster: 1, 3 or 5. */
  replicas: number
  /** Maximum bytes of a stream, past which its oldest events are dropped; unlimited where undefined. Some accounts require it. */
  maxStreamBytes?: number | undefined
}

export type NatsBusLimits = {
  /** How long `connectNatsBus` retries. */
  connectWithinMilliseconds: number
  /** Time limit for storing an event or a job; past it the publisher gets `unavailable`. */
  publishWithinMilliseconds: number
  /** Maximum messages sent and not yet acknowledged, over all topics and queues. */
  publishesInFlight: number
  /** Maximum messages in `publish` and `enqueue`, waiting and in flight; past it publishers get `unavailable` at once. */
  publishesWaiting: number
  /** Maximum concurrent requests about streams and consumers; there are many when all topics resume after a restart. */
  requestsInFlight: number
  /** A topic without a reader in this process for this long releases its consumer and its events. */
  idleTopicMilliseconds: number
}

export const defaultLimits: NatsBusLimits = {
  connectWithinMilliseconds: 10_000,
  publishWithinMilliseconds: 10_000,
  publishesInFlight: 256,
  publishesWaiting: 10_000,
  requestsInFlight: 32,
  idleTopicMilliseconds: 60_000,
}

export type NatsBusOptions = {
  /** `host:port`, or URLs with `nats:` or `tls:`; more than one for a cluster. Addresses with credentials are rejected. */
  servers: readonly string[]
  /** The name of this process in the server's reports. */
  name: string
  credentials?: NatsCredentials
  tls?: NatsTls
  /** The first token of every subject and stream name, so that installations may share a server; default `trellis`. */
  prefix?: string
  /** Default: one replica on files. */
  storage?: Partial<NatsStorage>
  limits?: Partial<NatsBusLimits>
  log: Log
}
