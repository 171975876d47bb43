import type { Log } from '../../telemetry/mod.ts'

/** Who this process is to the server. A credentials file is given by its text (an NKey seed with its JWT). */
export type NatsCredentials = { user: string; password: string } | { token: string } | { credentials: string }

/** How the connection is encrypted; `{}` demands encryption with the system's authorities. PEM text, or paths to it. */
export type NatsTls = {
  ca?: string
  caFile?: string
  cert?: string
  certFile?: string
  key?: string
  keyFile?: string
}

/** Where the server keeps streams. It is settled when a stream is made; replicas and bytes may be changed later. */
export type NatsStorage = {
  kind: 'file' | 'memory'
  /** Copies in a cluster: 1, 3 or 5. */
  replicas: number
  /** Bytes one stream may take, past which its oldest events go; unlimited where it is undefined. Some accounts demand it. */
  maxStreamBytes?: number | undefined
}

export type NatsBusLimits = {
  /** How long `connectNatsBus` goes on trying. */
  connectWithinMilliseconds: number
  /** Within this time an event or a job is stored, or its publisher is told that it is not. */
  publishWithinMilliseconds: number
  /** Messages sent and not yet acknowledged, over all topics and queues. */
  publishesInFlight: number
  /** Messages waiting for their turn; past it publishers are refused at once. */
  publishesWaiting: number
  /** Requests about streams and consumers under way at once: many when all topics are resumed after a restart. */
  requestsInFlight: number
  /** A topic that nobody in this process has followed for this long lets go of its consumer and of its events. */
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
  /** `host:port`, or URLs of `nats:` or `tls:`; more than one for a cluster. Credentials do not belong here. */
  servers: readonly string[]
  /** What the server calls this process in its reports. */
  name: string
  credentials?: NatsCredentials
  tls?: NatsTls
  /** The first token of every subject and stream name, so that installations may share a server: `trellis`. */
  prefix?: string
  /** One copy on files where it is left out. */
  storage?: Partial<NatsStorage>
  limits?: Partial<NatsBusLimits>
  log: Log
}
