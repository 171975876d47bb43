import type { Bus } from '@trellis/kit/bus'
import type { SerialQueue } from '@trellis/kit/lifecycle'
import type { RpcClient } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import type { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Kysely } from 'kysely'
import type { ListingsConfig } from './config.ts'
import type { Measures } from './measures.ts'
import type { ListingsTables } from './schemas.ts'

/** What the parts of the service work with. */
export type Dependencies = {
  readonly config: ListingsConfig
  readonly db: Kysely<ListingsTables>
  readonly bus: Bus
  readonly workloads: RpcClient<typeof WorkloadsServiceDefinition>
  /** Where what a call waits for is looked up: beside the service, where the runs of searches are objects. */
  readonly localWorkloads: RpcClient<typeof WorkloadsServiceDefinition>
  /** Whether runs are objects in a cluster, whose operator orders searches and is to hear how they ended. */
  readonly runsAreObjects: boolean
  /** Searches are admitted one after the other. */
  readonly admission: SerialQueue
  readonly log: Log
  readonly measures: Measures
  readonly now: () => Date
  /** Aborted when the service ends. */
  readonly signal: AbortSignal
  /** Address of the demo marketplace, which is started by whoever asks first. */
  readonly demoUrl: () => Promise<string>
}
