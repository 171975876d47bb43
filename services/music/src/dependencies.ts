import type { Bus } from '@trellis/kit/bus'
import type { Files } from '@trellis/kit/files'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { MusicConfig } from './config.ts'
import type { MusicMetrics } from './metrics.ts'
import type { InstalledModel } from './models/installed-model.ts'
import type { MusicTables } from './schemas.ts'
import type { WorkloadsClient } from './worker/run-task.ts'

/** Dependencies of the parts of the music service. */
export type Dependencies = {
  readonly config: MusicConfig
  readonly db: Kysely<MusicTables>
  readonly bus: Bus
  readonly files: Files
  /** Runs continuations: the installation's workloads, possibly on many machines. */
  readonly workloads: WorkloadsClient
  /** Whether those are objects in a cluster, whose operator sends plan requests and must receive conclusions. */
  readonly runsAreObjects: boolean
  /** Decodes uploads and writes downloads: beside the service, so that they do not wait behind generations. */
  readonly localWorkloads: WorkloadsClient
  /** Separates stems: beside the service, too, and apart from uploads and downloads, which users wait for. */
  readonly separationWorkloads: WorkloadsClient
  /** The model that generates continuations. */
  readonly installedModel: InstalledModel
  readonly log: Log
  readonly metrics: MusicMetrics
  readonly now: () => Date
  /** Aborted when the service shuts down. */
  readonly signal: AbortSignal
}
