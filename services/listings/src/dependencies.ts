import type { Bus } from '@trellis/kit/bus'
import type { Egress } from '@trellis/kit/egress'
import type { Leases } from '@trellis/kit/leases'
import type { SerialQueue } from '@trellis/kit/lifecycle'
import type { RpcClient } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import type { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Kysely } from 'kysely'
import type { ListingsConfig } from './config.ts'
import type { ListingsMetrics } from './metrics.ts'
import type { ListingsTables } from './schemas.ts'

/** Dependencies of the parts of the service. */
export type Dependencies = {
  readonly config: ListingsConfig
  readonly db: Kysely<ListingsTables>
  readonly bus: Bus
  readonly workloads: RpcClient<typeof WorkloadsServiceDefinition>
  /** Runs lookups that a call waits for: beside the service, even where searches run as objects. */
  readonly localWorkloads: RpcClient<typeof WorkloadsServiceDefinition>
  /** Whether runs are objects in a cluster, whose operator sends plan requests and must receive the conclusions of searches. */
  readonly runsAreObjects: boolean
  /** Rights to background work that one replica at a time does. */
  readonly leases: Leases
  /** Requests to the language model. */
  readonly upstream: Egress
  /** Serializes the admission of searches. */
  readonly admission: SerialQueue
  readonly log: Log
  readonly metrics: ListingsMetrics
  readonly now: () => Date
  /** Aborted when the service shuts down. */
  readonly signal: AbortSignal
  /** Returns the URL of the demo marketplace, which the first call starts. */
  readonly demoUrl: () => Promise<string>
}
