import { type Migration, transact } from '@trellis/kit/store'
import { type Kysely, sql } from 'kysely'
import type { KnownTemplate } from './miner.ts'

/** `version` is a counter of all changes; `is_general` is 0 or 1; `created_at` is epoch milliseconds. */
type TemplateTable = {
  template_id: string
  form: string
  is_general: number
  into_id: string | null
  version: number
  created_at: number
}
export type TemplateTables = { log_templates: TemplateTable }
type Db = Kysely<TemplateTables>

/** `number` is the number of the migration in the schema that contains it. */
export const templateMigration = (number: number): Migration => ({
  number,
  name: 'templates of log messages',
  up: async (db) => {
    await db.schema
      .createTable('log_templates')
      .addColumn('template_id', 'text', (column) => column.primaryKey())
      .addColumn('form', 'text', (column) => column.notNull())
      .addColumn('is_general', 'integer', (column) => column.notNull())
      .addColumn('into_id', 'text')
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('log_templates_by_version').on('log_templates').column('version').execute()
  },
})

const newestVersion = (db: Db) =>
  db
    .selectFrom('log_templates')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirst()

const changedAfter = (db: Db, version: number) =>
  db
    .selectFrom('log_templates')
    .selectAll()
    .where('version', '>', version)
    .where('template_id', '!=', epochId)
    .orderBy('version')
    .execute()

/** The row with the number of times that templates were pruned: its form is the number. No template has its id. */
const epochId = ''

const epochRow = (db: Db) =>
  db.selectFrom('log_templates').select('form').where('template_id', '=', epochId).executeTakeFirst()

const setEpoch = (db: Db, row: TemplateTable) =>
  db
    .insertInto('log_templates')
    .values(row)
    .onConflict((conflict) => conflict.column('template_id').doUpdateSet({ form: row.form, version: row.version }))
    .execute()

const oldTemplates = (db: Db) =>
  db
    .selectFrom('log_templates')
    .select(['template_id', 'into_id', 'created_at'])
    .where('template_id', '!=', epochId)
    .execute()

const deleteTemplates = (db: Db, ids: readonly string[]) =>
  db
    .deleteFrom('log_templates')
    .where('template_id', 'in', [...ids])
    .execute()

/** Templates only change in one direction: they become general, and are merged into another one. */
const upsert = (db: Db, rows: TemplateTable[]) =>
  db
    .insertInto('log_templates')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('template_id').doUpdateSet({
        is_general: sql<number>`case when excluded.is_general = 1 then 1 else log_templates.is_general end`,
        into_id: sql<string | null>`coalesce(excluded.into_id, log_templates.into_id)`,
        version: sql<number>`excluded.version`,
      }),
    )
    .execute()

/** Rows of one statement: some databases take no more than 999 parameters. */
const rowsInOne = 150

/** The shared records of templates, for all threads and replicas that mine. */
export type TemplateStore = {
  /**
   * The changes after a version, and the latest version. If `epoch` differs from the previous call, rows were deleted: the caller must discard what it
   * learned, and start again from version 0.
   */
  changes: (after: number) => Promise<{ version: number; templates: KnownTemplate[]; epoch: number }>
  save: (templates: readonly KnownTemplate[]) => Promise<void>
  clear: () => Promise<void>
  /** Deletes templates that are neither in `live` nor resolved to from one of these, and that were created a while ago. */
  prune: (live: readonly string[]) => Promise<void>
}

/** Stores nothing, for templates that need not outlive their thread. */
export const noTemplates: TemplateStore = {
  changes: async (after) => ({ version: after, templates: [], epoch: 0 }),
  save: async () => undefined,
  clear: async () => undefined,
  prune: async () => undefined,
}

/** The entries of a younger template may not be in a segment yet. */
const youngMilliseconds = 3_600_000

/** The ids of stored entries, and all ids that these resolve through. */
const withTargets = (live: readonly string[], intoOf: ReadonlyMap<string, string | null>): ReadonlySet<string> => {
  const reached = new Set<string>()
  for (const id of live)
    for (let at: string | null = id; at !== null && !reached.has(at); at = intoOf.get(at) ?? null) reached.add(at)
  return reached
}

/** Stores templates as rows. */
export const createTemplateStore = (db: Db, now: () => number): TemplateStore => ({
  clear: async () => {
    await db.deleteFrom('log_templates').execute()
  },
  changes: async (after) => {
    // The epoch is read first: the next call then detects rows that are deleted in between.
    const epoch = Number((await epochRow(db))?.form ?? 0)
    const rows = await changedAfter(db, after)
    return {
      epoch,
      version: rows.at(-1)?.version ?? after,
      templates: rows.map((row) => ({
        templateId: row.template_id,
        form: row.form,
        isGeneral: row.is_general === 1,
        into: row.into_id,
      })),
    }
  },
  prune: (live) =>
    transact(db, async (transaction) => {
      const rows = await oldTemplates(transaction)
      const retained = withTargets(live, new Map(rows.map((row) => [row.template_id, row.into_id])))
      const gone = rows
        .filter((row) => !retained.has(row.template_id) && row.created_at < now() - youngMilliseconds)
        .map((row) => row.template_id)
      if (gone.length === 0) return
      for (let start = 0; start < gone.length; start += rowsInOne)
        await deleteTemplates(transaction, gone.slice(start, start + rowsInOne))
      await setEpoch(transaction, {
        template_id: epochId,
        form: String(Number((await epochRow(transaction))?.form ?? 0) + 1),
        is_general: 0,
        into_id: null,
        version: ((await newestVersion(transaction))?.version ?? 0) + 1,
        created_at: now(),
      })
    }),
  save: (templates) =>
    transact(db, async (transaction) => {
      const version = ((await newestVersion(transaction))?.version ?? 0) + 1
      const rows = templates.map(({ templateId, form, isGeneral, into }) => ({
        template_id: templateId,
        form,
        is_general: isGeneral ? 1 : 0,
        into_id: into,
        version,
        created_at: now(),
      }))
      for (let start = 0; start < rows.length; start += rowsInOne)
        await upsert(transaction, rows.slice(start, start + rowsInOne))
    }),
})
