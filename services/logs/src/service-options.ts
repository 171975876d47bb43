import type { Bus } from '@trellis/kit/bus'
import type { FilesLocation } from '@trellis/kit/files'
import type { RpcClient, RpcSecurity } from '@trellis/kit/rpc'
import type { StoreLocation } from '@trellis/kit/store'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import type { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { LogsConfig } from './config.ts'

/** What the log service is given. */
export type LogsServiceOptions = {
  config: LogsConfig
  dataDirectory: string
  /** Where rows are kept; in the data directory unless told. */
  store?: StoreLocation
  bus: Bus
  /**
   * Where replicas share segments. With it, any number of these services may stand on one bus, one store and these files, and each knows
   * what all have; without it, entries lie in the data directory and this service is alone on it.
   */
  filesLocation?: FilesLocation
  /** Who runs branches, and what calls to a branch carry; without it there are none. */
  branches?: { service: RpcClient<typeof BranchesServiceDefinition>; security: RpcSecurity } | undefined
  /** Files with secrets that the process was started with: no source may read them. */
  secretFiles?: readonly string[]
  log: Log
  metrics?: Metrics
  now?: () => number
}
