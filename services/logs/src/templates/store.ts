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
  db
    .selectFrom('log_templates')
    .selectAll()
    .where('version', '>', version)
    .where('template_id', '!=', epochId)
    .orderBy('version')
    .execute()

/** The row that counts how often templates were pruned: its form is the number. No template has its id. */
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
  /**
   * What has changed after a version, and the version that has it all. In another `epoch` than before, rows are gone: what is known of them
   * is to be learned anew, from version 0.
   */
  changes: (after: number) => Promise<{ version: number; templates: KnownTemplate[]; epoch: number }>
  save: (templates: readonly KnownTemplate[]) => Promise<void>
  clear: () => Promise<void>
  /** Lets go of templates that are not among these, nor on the way from one of them to its own, and have been there for a while. */
  prune: (live: readonly string[]) => Promise<void>
}

/** Keeps nothing, where nothing has to outlive its thread. */
export const noTemplates: TemplateStore = {
  changes: async (after) => ({ version: after, templates: [], epoch: 0 }),
  save: async () => undefined,
  clear: async () => undefined,
  prune: async () => undefined,
}

/** A template that is as young may be on its way into a segment. */
const youngMilliseconds = 3_600_000

/** Ids that stored entries have, and all that those lead to. */
const withTargets = (live: readonly string[], intoOf: ReadonlyMap<string, string | null>): ReadonlySet<string> => {
  const kept = new Set<string>()
  for (const id of live)
    for (let at: string | null = id; at !== null && !kept.has(at); at = intoOf.get(at) ?? null) kept.add(at)
  return kept
}

/** Templates as rows of a store. */
export const createTemplateStore = (db: Db, now: () => number): TemplateStore => ({
  clear: async () => {
    await db.deleteFrom('log_templates').execute()
  },
  changes: async (after) => {
    // The epoch first: rows that go in between are missed with the next look, and not for ever.
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
      const kept = withTargets(live, new Map(rows.map((row) => [row.template_id, row.into_id])))
      const gone = rows
        .filter((row) => !kept.has(row.template_id) && row.created_at < now() - youngMilliseconds)
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
