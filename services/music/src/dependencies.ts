import type { Bus } from '@trellis/kit/bus'
import type { Files } from '@trellis/kit/files'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { MusicConfig } from './config.ts'
import type { MusicTables } from './schemas.ts'
import type { WorkloadsClient } from './worker/run-task.ts'

/** What the parts of the music service share. */
export interface Dependencies {
  readonly config: MusicConfig
  readonly db: Kysely<MusicTables>
  readonly bus: Bus
  readonly files: Files
  /** Where continuations are generated: the installation's workloads, of which there may be many machines. */
  readonly workloads: WorkloadsClient
  /** Whether those are objects in a cluster, whose operator orders generations and is to hear how they ended. */
  readonly runsAreObjects: boolean
  /** Where uploads are read and files are written: beside the service, so that nobody waits behind a generation. */
  readonly localWorkloads: WorkloadsClient
  readonly log: Log
  readonly now: () => Date
  /** Aborted when the service ends. */
  readonly signal: AbortSignal
}
