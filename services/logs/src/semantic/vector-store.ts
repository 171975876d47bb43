import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

/** Vectors of texts by model. A text is identified by a digest, a model by its fingerprint. `made_at` is epoch milliseconds. */
type VectorTable = { model: string; text_key: string; vector: Uint8Array; made_at: number }
export type VectorTables = { log_text_vectors: VectorTable }
type Db = Kysely<VectorTables>

export const vectorMigration: Migration = {
  number: 8,
  name: 'vectors of texts in logs',
  up: async (db) => {
    await db.schema
      .createTable('log_text_vectors')
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('text_key', 'text', (column) => column.notNull())
      .addColumn('vector', 'blob', (column) => column.notNull())
      .addColumn('made_at', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('log_text_vectors_key', ['model', 'text_key'])
      .execute()
    await db.schema.createIndex('log_text_vectors_by_time').on('log_text_vectors').column('made_at').execute()
  },
}

/** Some databases refuse statements with more parameters. */
const maxInOne = 400

export const inPortions = <Item>(items: readonly Item[], size = maxInOne): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, portion) =>
    items.slice(portion * size, (portion + 1) * size),
  )

export const findVectors = async (db: Db, model: string, keys: readonly string[]) => {
  const found = await Promise.all(
    inPortions(keys).map((portion) =>
      db
        .selectFrom('log_text_vectors')
        .select(['text_key', 'vector'])
        .where('model', '=', model)
        .where('text_key', 'in', portion)
        .execute(),
    ),
  )
  return found.flat()
}

/** The first vector for a text wins, so that replicas rank alike although their processors may round differently. */
export const insertVectors = async (db: Db, rows: readonly VectorTable[]) => {
  for (const portion of inPortions(rows, 100)) {
    await db
      .insertInto('log_text_vectors')
      .values(portion)
      .onConflict((conflict) => conflict.columns(['model', 'text_key']).doNothing())
      .execute()
  }
}

export const countVectors = async (db: Db): Promise<number> => {
  const { count } = await db
    .selectFrom('log_text_vectors')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes the oldest `count` vectors. */
export const deleteOldestVectors = async (db: Db, count: number) => {
  const last = await db
    .selectFrom('log_text_vectors')
    .select('made_at')
    .orderBy('made_at')
    .offset(Math.max(0, count - 1))
    .limit(1)
    .executeTakeFirst()
  if (last) await db.deleteFrom('log_text_vectors').where('made_at', '<=', last.made_at).execute()
}
