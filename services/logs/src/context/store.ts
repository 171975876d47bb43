import type { Kysely } from 'kysely'
import type { ChunkTable, ContextTables, DocTable, FactTable } from './migrations.ts'

type Db = Kysely<ContextTables>

/** Rows per statement, since databases limit its parameters. */
const rowsAtOnce = 500

export const readVersion = async (db: Db): Promise<number> => {
  const row = await db
    .selectFrom('context_versions')
    .select('version')
    .where('name', '=', 'knowledge')
    .executeTakeFirst()
  return row?.version ?? 0
}

/** Marks documents or facts as changed; runs in the transaction that changes them. */
export const bumpVersion = (db: Db) =>
  db
    .updateTable('context_versions')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('name', '=', 'knowledge')
    .execute()

export const listDocs = (db: Db) =>
  db.selectFrom('context_docs').selectAll().orderBy('created_at', 'desc').orderBy('id').execute()

export const findDoc = (db: Db, id: string) =>
  db.selectFrom('context_docs').selectAll().where('id', '=', id).executeTakeFirst()

export const findDocByDigest = (db: Db, digest: string) =>
  db.selectFrom('context_docs').selectAll().where('digest', '=', digest).executeTakeFirst()

export const docTotals = async (db: Db): Promise<{ docs: number; characters: number }> => {
  const { docs, characters } = await db
    .selectFrom('context_docs')
    .select((row) => [row.fn.countAll<number>().as('docs'), row.fn.sum<number | null>('characters').as('characters')])
    .executeTakeFirstOrThrow()
  return { docs, characters: characters ?? 0 }
}

export const insertDoc = (db: Db, doc: DocTable) => db.insertInto('context_docs').values(doc).execute()

export const insertChunks = async (db: Db, chunks: readonly ChunkTable[]) => {
  for (let start = 0; start < chunks.length; start += rowsAtOnce)
    await db
      .insertInto('context_chunks')
      .values(chunks.slice(start, start + rowsAtOnce))
      .execute()
}

/** Deletes documents and their chunks; returns the number of documents. */
export const deleteDocs = async (db: Db, id: string | 'all'): Promise<number> => {
  const chunks = db.deleteFrom('context_chunks')
  const docs = db.deleteFrom('context_docs').returning('id')
  await (id === 'all' ? chunks : chunks.where('doc_id', '=', id)).execute()
  return (await (id === 'all' ? docs : docs.where('id', '=', id)).execute()).length
}

/** Documents without their texts, in a stable order. */
export const listDocHeads = (db: Db) =>
  db.selectFrom('context_docs').select(['id', 'title', 'tags']).orderBy('id').execute()

export const chunksOfDocs = (db: Db, ids: readonly string[]) =>
  db.selectFrom('context_chunks').selectAll().where('doc_id', 'in', ids).orderBy('doc_id').orderBy('position').execute()

export type FactFilter = { category?: string | undefined; key?: string | undefined; source?: string | undefined }

export const listFacts = (db: Db, { category, key, source }: FactFilter = {}) => {
  let query = db.selectFrom('context_facts').selectAll()
  if (category !== undefined) query = query.where('category', '=', category)
  if (key !== undefined) query = query.where('key', '=', key)
  if (source !== undefined) query = query.where('source', '=', source)
  return query.orderBy('category').orderBy('key').execute()
}

export const findFact = (db: Db, category: string, key: string) =>
  db.selectFrom('context_facts').selectAll().where('category', '=', category).where('key', '=', key).executeTakeFirst()

export const countFacts = async (db: Db): Promise<number> => {
  const { facts } = await db
    .selectFrom('context_facts')
    .select((row) => row.fn.countAll<number>().as('facts'))
    .executeTakeFirstOrThrow()
  return facts
}

export const insertFact = (db: Db, fact: FactTable) => db.insertInto('context_facts').values(fact).execute()

export const changeFact = (db: Db, { id, value, source }: Pick<FactTable, 'id' | 'value' | 'source'>) =>
  db.updateTable('context_facts').set({ value, source }).where('id', '=', id).execute()

export const deleteFact = async (db: Db, id: string): Promise<boolean> =>
  (await db.deleteFrom('context_facts').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined

export const deleteFacts = async (db: Db, { category, source }: FactFilter): Promise<number> => {
  let query = db.deleteFrom('context_facts').returning('id')
  if (category !== undefined) query = query.where('category', '=', category)
  if (source !== undefined) query = query.where('source', '=', source)
  return (await query.execute()).length
}

export const listAnswers = (db: Db) => db.selectFrom('context_wizard').selectAll().execute()

export const saveAnswers = (db: Db, row: { step: string; answers: string; changed_at: string }) =>
  db
    .insertInto('context_wizard')
    .values(row)
    .onConflict((conflict) => conflict.column('step').doUpdateSet({ answers: row.answers, changed_at: row.changed_at }))
    .execute()
