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
import type { ObsoleteDetections } from './scoring/obsolete-detections.ts'
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
  /** Rows of incidents and their attachments. */
  incidentRows: IncidentDb
  /** For work that one replica does at a time. */
  leases: Leases
  /** Whether other replicas may share the store. */
  isShared: boolean
  /** Writes to the service's own store; searches include branches where these exist. */
  engine: LogEngine
  /** The same without annotations: for scorers, which write them and read entries by the hundred thousand. */
  engineWithoutOverlays: Pick<LogEngine, 'search' | 'searchSerialized' | 'templates' | 'sources'>
  /** Annotations of entries; the engine's answers include them. */
  overlays: Overlays
  /** Hybrid search; reports why it is not available. */
  semantic: SemanticSearch
  /** Absent where nothing runs branches. */
  branches: Pick<SharedSearch, 'tails' | 'onBranches'> | undefined
  requireBranch: RequireBranch
  /** The registered branches; absent where nothing runs branches. */
  directory: BranchDirectory | undefined
  /** Follows new entries. */
  tail: Tail
  /** A marker that changes when entries arrive on any replica or branch. */
  arrivals: () => Promise<string>
  /** Removes detections whose entries are gone. */
  detections: ObsoleteDetections
  tasks: Tasks
  /** Configured sources. */
  sources: ConfiguredSources
  /** Memory budget of pushed batches. */
  pressure: Pressure
  /** User-defined formats. */
  formats: Pick<UserFormats, 'list'>
  /** Disk space for uploads that cannot be read as a stream. */
  spool: Spool
  bus: Bus
  /** HTTP client for external servers. */
  upstream: Pick<Egress, 'fetch'>
  /** Settings that users change at runtime. */
  settings: Settings
  /** What users have stated about their systems. */
  context: ContextBase
  /** Tagging patterns. */
  patterns: LoadedPatterns
  /** SSH targets and their connections. */
  ssh: Ssh
  /** Files of this host that sources may read. */
  localFiles: LocalFiles
  log: Log
  now: () => number
  /** Aborted when the service ends. */
  signal: AbortSignal
  /** Disposed of after the engine and before `tasks`, for tasks that use the engine. */
  afterEngine: AsyncDisposableStack
}
