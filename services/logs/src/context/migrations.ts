import type { Migration } from '@trellis/kit/store'

export type ContextTables = {
  context_docs: DocTable
  context_chunks: ChunkTable
  context_facts: FactTable
  context_wizard: WizardTable
  context_versions: VersionTable
}

/** `digest` is of title and text; `tags` is JSON. */
export type DocTable = {
  id: string
  title: string
  text: string
  tags: string
  digest: string
  characters: number
  chunk_count: number
  created_at: string
}
/** `headings` is JSON. */
export type ChunkTable = { doc_id: string; position: number; headings: string; text: string }
export type FactTable = {
  id: string
  category: string
  key: string
  value: string
  source: string
  created_at: string
}
/** The answers to a step of the wizard, as JSON. */
type WizardTable = { step: string; answers: string; changed_at: string }
/** Counts changes of documents and facts; replicas compare it with the version in memory. */
type VersionTable = { name: string; version: number }

/** The schema of the context store, step by step. */
export const contextMigrations: readonly Migration[] = [
  {
    number: 1,
    name: 'documents, facts and the wizard of the context',
    up: async (db) => {
      await db.schema
        .createTable('context_docs')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('tags', 'text', (column) => column.notNull())
        .addColumn('digest', 'text', (column) => column.notNull().unique())
        .addColumn('characters', 'integer', (column) => column.notNull())
        .addColumn('chunk_count', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('context_chunks')
        .addColumn('doc_id', 'text', (column) => column.notNull())
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('headings', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('context_chunks_key', ['doc_id', 'position'])
        .execute()
      await db.schema
        .createTable('context_facts')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('category', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('value', 'text', (column) => column.notNull())
        .addColumn('source', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addUniqueConstraint('context_facts_by_key', ['category', 'key'])
        .execute()
      await db.schema
        .createTable('context_wizard')
        .addColumn('step', 'text', (column) => column.primaryKey())
        .addColumn('answers', 'text', (column) => column.notNull())
        .addColumn('changed_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('context_versions')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('version', 'integer', (column) => column.notNull())
        .execute()
      await db.insertInto('context_versions').values({ name: 'knowledge', version: 0 }).execute()
    },
  },
]
