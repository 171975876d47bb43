import { shareConnections, storeElsewhere } from '@trellis/kit/process'
import type { PlacedSchema, StoreLocation } from '@trellis/kit/store'
import { type BlocklistTables, blocklistMigration } from './blocklist/store.ts'
import { type AddedSourcesTables, addedSourcesMigration } from './collect/added-sources-store.ts'
import { type CheckpointTables, checkpointMigration } from './collect/checkpoint-store.ts'
import { type CollectStateTables, collectStateMigration } from './collect/collect-state-store.ts'
import { type HostKeyTables, hostKeyMigration } from './collect/ssh/host-key-store.ts'
import { type OutboxTables, outboxMigration } from './collect/submit/outbox-store.ts'
import type { LogsConfig } from './config.ts'
import { contextMigrations } from './context/migrations.ts'
import { incidentMigrations } from './incidents/migrations.ts'
import { type TaskTables, taskMigration, taskOwnerMigration } from './ingest/task-store.ts'
import { type OverlayTables, overlayMigration } from './overlays/store.ts'
import { type SharedCatalogueTables, sharedCatalogueMigration } from './replicated/shared-catalogue-tables.ts'
import { type ScoringTables, scoringMigration } from './scoring/tables.ts'
import { amendmentMigration } from './segments/amendment-store.ts'
import { type CatalogueTables, catalogueMigration } from './segments/catalogue-store.ts'
import { type VectorTables, vectorMigration } from './semantic/vector-store.ts'
import { type SessionTables, sessionMigration } from './session/store.ts'
import { type SettingTables, settingsMigration } from './settings/store.ts'
import { type SshTargetTables, sshTargetMigration } from './ssh-targets/store.ts'
import { type TemplateTables, templateMigration } from './templates/store.ts'

/** The schema of the log service, step by step. */
export const logsMigrations = [
  catalogueMigration,
  taskMigration,
  sharedCatalogueMigration,
  taskOwnerMigration,
  overlayMigration,
  checkpointMigration,
  settingsMigration,
  vectorMigration,
  templateMigration(9),
  amendmentMigration(10),
  collectStateMigration(11),
  hostKeyMigration,
  sshTargetMigration,
  scoringMigration(14),
  blocklistMigration,
  outboxMigration(16),
  addedSourcesMigration(17),
  sessionMigration(18),
]
export const logsSchema = { name: 'logs', migrations: logsMigrations }
export const incidentsSchema = { name: 'incidents', migrations: incidentMigrations }
export const contextSchema = { name: 'context', migrations: contextMigrations }

/** All schemas of the log service with the locations that settings define; by default in the main store. Throws ConfigFailure. */
export const logsSchemas = (config: LogsConfig, main: StoreLocation) => {
  const { incidentsDatabase, contextDatabase } = config
  const [logs = main, incidents = main, context = main] = shareConnections([
    main,
    storeElsewhere({ variable: 'SERVICE_INCIDENTS_DB', value: incidentsDatabase }, main),
    storeElsewhere({ variable: 'SERVICE_CONTEXT_DB', value: contextDatabase }, main),
  ])
  return {
    logs: { ...logsSchema, location: logs },
    incidents: { ...incidentsSchema, location: incidents },
    context: { ...contextSchema, location: context },
  } satisfies Record<string, PlacedSchema>
}

/** All tables of the store `logs`; each feature uses its own. */
export type LogsTables = CatalogueTables &
  TaskTables &
  SharedCatalogueTables &
  OverlayTables &
  CheckpointTables &
  CollectStateTables &
  OutboxTables &
  AddedSourcesTables &
  SessionTables &
  SettingTables &
  VectorTables &
  TemplateTables &
  HostKeyTables &
  SshTargetTables &
  ScoringTables &
  BlocklistTables
