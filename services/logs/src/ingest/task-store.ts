import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

export type TaskTables = { log_tasks: TaskTable }

/**
 * `state` is the task as JSON; values used in queries have columns of their own. `owner` names the process that runs the task and increments
 * `beats` while it is alive.
 */
type TaskTable = {
  task_id: string
  status: string
  started_at: string
  state: string
  owner: string | null
  beats: number
}
export type NewTask = Omit<TaskTable, 'beats'>

export const taskMigration: Migration = {
  number: 2,
  name: 'tasks of the log service',
  up: async (db) => {
    await db.schema
      .createTable('log_tasks')
      .addColumn('task_id', 'text', (column) => column.primaryKey())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('started_at', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('log_tasks_by_start').on('log_tasks').column('started_at').execute()
  },
}

export const taskOwnerMigration: Migration = {
  number: 4,
  name: 'owners of tasks of the log service',
  up: async (db) => {
    await db.schema.alterTable('log_tasks').addColumn('owner', 'text').execute()
    await db.schema
      .alterTable('log_tasks')
      .addColumn('beats', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}

const unfinished = ['queued', 'running']

export const saveTask = (db: Kysely<TaskTables>, row: NewTask) =>
  db
    .insertInto('log_tasks')
    .values({ ...row, beats: 0 })
    .onConflict((conflict) => conflict.column('task_id').doUpdateSet({ status: row.status, state: row.state }))
    .execute()

export const findTask = (db: Kysely<TaskTables>, taskId: string) =>
  db.selectFrom('log_tasks').selectAll().where('task_id', '=', taskId).executeTakeFirst()

export const unfinishedTasks = (db: Kysely<TaskTables>) =>
  db.selectFrom('log_tasks').selectAll().where('status', 'in', unfinished).execute()

/** Sends a heartbeat for the unfinished tasks of an owner. */
export const beatTasks = (db: Kysely<TaskTables>, owner: string) =>
  db
    .updateTable('log_tasks')
    .set((row) => ({ beats: row('beats', '+', 1) }))
    .where('owner', '=', owner)
    .where('status', 'in', unfinished)
    .execute()

/** Ends a task unless it has changed since it was read; undefined if its owner has sent a heartbeat since, or ended it. */
export const endSilentTask = (
  db: Kysely<TaskTables>,
  { task_id, beats, status, state }: Omit<TaskTable, 'owner' | 'started_at'>,
) =>
  db
    .updateTable('log_tasks')
    .set({ status, state })
    .where('task_id', '=', task_id)
    .where('beats', '=', beats)
    .where('status', 'in', unfinished)
    .returning('task_id')
    .executeTakeFirst()

export const deleteTasksBefore = (db: Kysely<TaskTables>, startedBefore: string) =>
  db.deleteFrom('log_tasks').where('started_at', '<', startedBefore).execute()
