import type { Bus } from '@trellis/kit/bus'
import type { FilesLocation } from '@trellis/kit/files'
import type { RpcClient, RpcSecurity } from '@trellis/kit/rpc'
import type { StoreLocation } from '@trellis/kit/store'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import type { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { LogsConfig } from './config.ts'

/** Options of the log service. */
export type LogsServiceOptions = {
  config: LogsConfig
  dataDirectory: string
  /** Where rows are stored; default: in the data directory. */
  store?: StoreLocation
  bus: Bus
  /**
   * Where replicas share segments. With it, any number of services may share the bus, the store and these files, and each searches the entries of
   * all; without it, entries are stored in the data directory and this service is its only user.
   */
  filesLocation?: FilesLocation
  /** The service that runs branches, and the credentials of calls to branches; without it there are no branches. */
  branches?: { service: RpcClient<typeof BranchesServiceDefinition>; security: RpcSecurity } | undefined
  /** Files with secrets that the process was started with; no source may read them. */
  secretFiles?: readonly string[]
  log: Log
  metrics?: Metrics
  now?: () => number
}
