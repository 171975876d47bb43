import type { Migration } from '@trellis/kit/store'
import type { Generated, Kysely, Selectable } from 'kysely'

/** Background tasks, as rows: those that a replica did not complete are taken up by another. */
export type TaskTables = {
  background_tasks: {
    id: Generated<number>
    task_type: string
    /** The internal id of the listing. */
    job_id: number
    /** JSON text of `TaskParameters`. */
    params_json: string
    status: TaskStatus
    /** The step that is queued or running, or was the last one. */
    stage: TaskStage
    /** How often the stage was started. */
    attempts: number
    error: string | null
    created_at: string
    updated_at: string
  }
}

export type TaskStatus = 'queued' | 'running' | 'completed' | 'failed'
/** A photo is compared with others first, then shown to a model, if one is configured. */
export type TaskStage = 'hash' | 'vision'

export const photoTaskType = 'trust_photo_analysis'

/** Parameters of a task. The user's data is in one database, so its owner is named by their id. */
export type TaskParameters = { readonly photo_url: string; readonly listing_title: string; readonly user_id: string }

export type TaskRow = Selectable<TaskTables['background_tasks']>
export type TaskDb = Kysely<TaskTables>

export const tasksMigration = (number: number): Migration => ({
  number,
  name: 'background tasks',
  up: async (db) => {
    await db.schema
      .createTable('background_tasks')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('task_type', 'text', (column) => column.notNull())
      .addColumn('job_id', 'integer', (column) => column.notNull())
      .addColumn('params_json', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('stage', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('background_tasks_by_job', ['task_type', 'job_id'])
      .execute()
    await db.schema
      .createIndex('background_tasks_by_status')
      .on('background_tasks')
      .columns(['status', 'task_type', 'stage', 'id'])
      .execute()
  },
})

/** Maximum queued tasks of one type; more are dropped. */
export const maxQueued = 500
/** How often a stage is started if its replicas die; then the photo is to blame. */
const maxAttempts = 3

export type NewTask = { readonly jobId: number; readonly stage: TaskStage; readonly parameters: TaskParameters }

/** The tasks that are queued or running now, and how many new ones were dropped because the queue is full. */
export type Queued = { readonly active: readonly number[]; readonly dropped: number }

const insertTasks = async (db: TaskDb, tasks: readonly NewTask[], now: Date): Promise<void> => {
  const at = now.toISOString()
  const rows = tasks.map(({ jobId, stage, parameters }) => ({
    task_type: photoTaskType,
    job_id: jobId,
    params_json: JSON.stringify(parameters),
    status: 'queued' as const,
    stage,
    attempts: 0,
    error: null,
    created_at: at,
    updated_at: at,
  }))
  await db
    .insertInto('background_tasks')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['task_type', 'job_id']).doNothing())
    .execute()
}

/**
 * Queues tasks behind those that wait. A job has one row: one that is queued or running is not queued again, and one that has ended is replaced. Jobs
 * beyond the queue's limit are dropped; replicas that queue at the same moment may each admit as many. Without a transaction, which would conflict with
 * every task that starts: a process that dies after the deletion leaves tasks that the next search queues again.
 */
export const queueTasks = async (db: TaskDb, tasks: readonly NewTask[], now: Date): Promise<Queued> => {
  if (tasks.length === 0) return { active: [], dropped: 0 }
  const ofType = db.selectFrom('background_tasks').where('task_type', '=', photoTaskType)
  const ids = tasks.map(({ jobId }) => jobId)
  const unended = ofType.select('job_id').where('job_id', 'in', ids).where('status', 'in', ['queued', 'running'])
  const known = new Set((await unended.execute()).map(({ job_id }) => job_id))
  const { waiting } = await ofType
    .select(({ fn }) => fn.countAll().as('waiting'))
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow()
  const fresh = tasks.filter(({ jobId }) => !known.has(jobId))
  const admitted = fresh.slice(0, Math.max(0, maxQueued - Number(waiting)))
  const active = [...known, ...admitted.map(({ jobId }) => jobId)]
  if (admitted.length === 0) return { active, dropped: fresh.length }
  const admittedIds = admitted.map(({ jobId }) => jobId)
  await db
    .deleteFrom('background_tasks')
    .where('task_type', '=', photoTaskType)
    .where('job_id', 'in', admittedIds)
    .where('status', 'in', ['completed', 'failed'])
    .execute()
  await insertTasks(db, admitted, now)
  return { active, dropped: fresh.length - admitted.length }
}

/** Whether a stage has tasks: queued ones, or running ones, which a replica that died may have left behind. */
export const hasTasks = async (db: TaskDb, stage: TaskStage): Promise<boolean> =>
  (await db
    .selectFrom('background_tasks')
    .select('id')
    .where('status', 'in', ['queued', 'running'])
    .where('task_type', '=', photoTaskType)
    .where('stage', '=', stage)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Requeues the running tasks of a stage, in their places: for the replica that has just become its only worker. */
export const requeueRunning = async (db: TaskDb, stage: TaskStage, now: Date): Promise<number> => {
  const running = db
    .updateTable('background_tasks')
    .where('task_type', '=', photoTaskType)
    .where('stage', '=', stage)
    .where('status', '=', 'running')
  const updated_at = now.toISOString()
  const error = 'The task was interrupted too often.'
  await running.where('attempts', '>=', maxAttempts).set({ status: 'failed', error, updated_at }).execute()
  const { numUpdatedRows } = await running.set({ status: 'queued', updated_at }).executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Starts the first queued task of a stage: for its only worker. */
export const startNext = async (db: TaskDb, stage: TaskStage, now: Date): Promise<TaskRow | undefined> => {
  const next = await db
    .selectFrom('background_tasks')
    .select('id')
    .where('status', '=', 'queued')
    .where('task_type', '=', photoTaskType)
    .where('stage', '=', stage)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (next === undefined) return undefined
  return db
    .updateTable('background_tasks')
    .set((eb) => ({ status: 'running', attempts: eb('attempts', '+', 1), updated_at: now.toISOString() }))
    .where('id', '=', next.id)
    .where('status', '=', 'queued')
    .returningAll()
    .executeTakeFirst()
}

/** How a stage of a task ended: completely, with an error, or with the next stage. */
export type TaskEnd =
  | { readonly status: 'completed' }
  | { readonly status: 'failed'; readonly error: string }
  | { readonly status: 'queued'; readonly stage: TaskStage }

const maxErrorCharacters = 500

/** Ends the running stage of a task. Has no effect if another replica has taken the task over. */
export const endTask = async (db: TaskDb, { id, attempts, stage }: TaskRow, end: TaskEnd, now: Date): Promise<void> => {
  await db
    .updateTable('background_tasks')
    .set({
      status: end.status,
      updated_at: now.toISOString(),
      error: end.status === 'failed' ? end.error.slice(0, maxErrorCharacters) : null,
      ...(end.status === 'queued' ? { stage: end.stage, attempts: 0 } : {}),
    })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where('stage', '=', stage)
    .where('attempts', '=', attempts)
    .execute()
}

export const deleteTask = async (db: TaskDb, id: number): Promise<void> => {
  await db.deleteFrom('background_tasks').where('id', '=', id).execute()
}

export const parametersOf = ({ params_json }: Pick<TaskRow, 'params_json'>): TaskParameters =>
  JSON.parse(params_json) as TaskParameters
