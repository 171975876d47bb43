import { type Migration, transact } from '@trellis/kit/store'
import { type Kysely, sql } from 'kysely'
import type { KnownTemplate } from './miner.ts'

/** `version` counts the changes of all; `is_general` is 0 or 1; `created_at` is epoch milliseconds. */
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

/** `number` is its place among the migrations of the schema that has it. */
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
  db.selectFrom('log_templates').selectAll().where('version', '>', version).orderBy('version').execute()

/** What is known of a template only grows: it becomes general, it goes into another. */
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

/** What is known of templates, for all threads and replicas that mine. */
export type TemplateStore = {
  /** What has changed after a version, and the version that has it all. */
  changes: (after: number) => Promise<{ version: number; templates: KnownTemplate[] }>
  save: (templates: readonly KnownTemplate[]) => Promise<void>
  clear: () => Promise<void>
}

/** Keeps nothing, where nothing has to outlive its thread. */
export const noTemplates: TemplateStore = {
  changes: async (after) => ({ version: after, templates: [] }),
  save: async () => undefined,
  clear: async () => undefined,
}

/** Templates as rows of a store. */
export const createTemplateStore = (db: Db, now: () => number): TemplateStore => ({
  clear: async () => {
    await db.deleteFrom('log_templates').execute()
  },
  changes: async (after) => {
    const rows = await changedAfter(db, after)
    return {
      version: rows.at(-1)?.version ?? after,
      templates: rows.map((row) => ({
        templateId: row.template_id,
        form: row.form,
        isGeneral: row.is_general === 1,
        into: row.into_id,
      })),
    }
  },
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
