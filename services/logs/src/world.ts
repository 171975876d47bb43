import type { Bus } from '@trellis/kit/bus'
import type { Log } from '@trellis/kit/telemetry'
import type { RequireBranch } from './branches/require-branch.ts'
import type { SharedSearch } from './branches/shared-search.ts'
import type { ConfiguredSources } from './collect/sources-file.ts'
import type { LogsConfig } from './config.ts'
import type { Knowledge } from './context/knowledge.ts'
import type { UserFormats } from './formats/user/user-formats.ts'
import type { Pressure } from './ingest/pressure.ts'
import type { Tasks } from './ingest/tasks.ts'
import type { Spool } from './ingest/unpack/spool.ts'
import type { Overlays } from './overlays/store.ts'
import type { LoadedPatterns } from './patterns/load-patterns.ts'
import type { SemanticSearch } from './semantic/semantic-search.ts'
import type { Settings } from './settings/settings.ts'
import type { LogEngine } from './threads/log-engine.ts'
import type { Upstream } from './upstream/upstream.ts'

/** What the handlers of the service stand on. */
export type World = {
  config: LogsConfig
  /** Keeps in the service's own store; asks branches, too, where there may be any. */
  engine: LogEngine
  /** What was found out about entries; the engine's answers carry it already. */
  overlays: Overlays
  /** Searches by words and meaning; says why where it cannot. */
  semantic: SemanticSearch
  /** Absent where nothing runs branches. */
  branches: Pick<SharedSearch, 'tails'> | undefined
  requireBranch: RequireBranch
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
  upstream: Pick<Upstream, 'fetch'>
  /** What is set while the service runs. */
  settings: Pick<Settings, 'read'>
  /** What people have told about their systems. */
  context: Pick<Knowledge, 'contextFor'>
  /** What entries are tagged with. */
  patterns: LoadedPatterns
  log: Log
  now: () => number
  /** Aborted when the service ends. */
  signal: AbortSignal
}
