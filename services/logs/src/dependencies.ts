import type { Bus } from '@trellis/kit/bus'
import type { Egress } from '@trellis/kit/egress'
import type { Leases } from '@trellis/kit/leases'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { BranchDirectory } from './branches/directory.ts'
import type { RequireBranch } from './branches/require-branch.ts'
import type { SharedSearch } from './branches/shared-search.ts'
import type { ConfiguredSources } from './collect/sources-file.ts'
import type { LogsConfig } from './config.ts'
import type { ContextBase } from './context/context.ts'
import type { UserFormats } from './formats/user/user-formats.ts'
import type { IncidentDb } from './incidents/all-tables.ts'
import type { Pressure } from './ingest/pressure.ts'
import type { Tasks } from './ingest/tasks.ts'
import type { Spool } from './ingest/unpack/spool.ts'
import type { LocalFiles } from './local-files/local-files.ts'
import type { Overlays } from './overlays/store.ts'
import type { LoadedPatterns } from './patterns/load-patterns.ts'
import type { LogsTables } from './schemas.ts'
import type { OutlivedDetections } from './scoring/outlived-detections.ts'
import type { SemanticSearch } from './semantic/semantic-search.ts'
import type { Settings } from './settings/settings.ts'
import type { Ssh } from './ssh-targets/open-ssh.ts'
import type { Tail } from './tail/tail.ts'
import type { LogEngine } from './threads/log-engine.ts'

/** The dependencies of all features. A feature declares those it needs: `Pick<Dependencies, 'engine' | 'now'>`. */
export type Dependencies = {
  config: LogsConfig
  dataDirectory: string
  /** Rows of the store `logs`. */
  db: Kysely<LogsTables>
  /** Rows of incidents and of what belongs to them. */
  incidentRows: IncidentDb
  /** What one replica does at a time. */
  leases: Leases
  /** Whether other replicas may stand on the same rows. */
  isShared: boolean
  /** Keeps in the service's own store; asks branches, too, where there may be any. */
  engine: LogEngine
  /** The same without what was found out about entries: for those that find it out, and read by the hundred thousand. */
  bareEngine: Pick<LogEngine, 'search' | 'searchSerialized' | 'templates' | 'sources'>
  /** What was found out about entries; the engine's answers carry it already. */
  overlays: Overlays
  /** Searches by words and meaning; says why where it cannot. */
  semantic: SemanticSearch
  /** Absent where nothing runs branches. */
  branches: Pick<SharedSearch, 'tails' | 'onBranches'> | undefined
  requireBranch: RequireBranch
  /** Which branches there are; absent likewise. */
  directory: BranchDirectory | undefined
  /** Follows what comes in. */
  tail: Tail
  /** Differs when entries have come in since, wherever. */
  arrivals: () => Promise<string>
  /** Detections whose entries may be gone. */
  detections: OutlivedDetections
  tasks: Tasks
  /** What people have written down to be collected. */
  sources: ConfiguredSources
  /** Of pushed batches. */
  pressure: Pressure
  /** Those that the user has added. */
  formats: Pick<UserFormats, 'list'>
  /** Of uploads that cannot be read as they come. */
  spool: Spool
  bus: Bus
  /** Servers of others. */
  upstream: Pick<Egress, 'fetch'>
  /** What is set while the service runs. */
  settings: Settings
  /** What people have told about their systems. */
  context: ContextBase
  /** What entries are tagged with. */
  patterns: LoadedPatterns
  /** Remote hosts, and what reaches them. */
  ssh: Ssh
  /** Files of this host that sources may read. */
  localFiles: LocalFiles
  log: Log
  now: () => number
  /** Aborted when the service ends. */
  signal: AbortSignal
  /** For what the engine is asked to do as a task: disposed of once the engine has ended, and before the tasks are let go of. */
  afterEngine: AsyncDisposableStack
}
