import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

export type TaskTables = { log_tasks: TaskTable }

/** `state` is the task as JSON; what is looked for has a column of its own. */
type TaskTable = { task_id: string; status: string; started_at: string; state: string }

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

export const saveTask = (db: Kysely<TaskTables>, row: TaskTable) =>
  db
    .insertInto('log_tasks')
    .values(row)
    .onConflict((conflict) => conflict.column('task_id').doUpdateSet({ status: row.status, state: row.state }))
    .execute()

export const findTask = (db: Kysely<TaskTables>, taskId: string) =>
  db.selectFrom('log_tasks').selectAll().where('task_id', '=', taskId).executeTakeFirst()

export const unfinishedTasks = (db: Kysely<TaskTables>) =>
  db.selectFrom('log_tasks').selectAll().where('status', 'in', ['queued', 'running']).execute()

export const deleteTasksBefore = (db: Kysely<TaskTables>, startedBefore: string) =>
  db.deleteFrom('log_tasks').where('started_at', '<', startedBefore).execute()
