import { type Kysely, sql } from 'kysely'

/**
 * One step of a schema. Numbered from 1 without gaps, forward only; written once for both databases with Kysely's schema
 * builder. Column types: `text` (ordered by code point), `integer` (64 bits; booleans are 0 and 1), `bigint`,
 * `double precision`, `blob`; `integer` with `primaryKey().autoIncrement()` for generated ids. Times are ISO text or epoch
 * milliseconds. Queries that order by a nullable column must use `nullsFirst()` or `nullsLast()`, because the databases differ.
 */
export type Migration = {
  number: number
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: a migration sees an old schema, which no current type describes
  up: (db: Kysely<any>) => Promise<void>
}

/** The schema of a store does not match the program. The message is for the user who started it. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

type AppliedTable = { schema_migrations: { number: number; name: string; applied_at: string } }

/** Throws MigrationError where a number is missing or out of order. */
export const checkNumbering = (migrations: readonly Migration[]) => {
  migrations.forEach((migration, index) => {
    if (migration.number !== index + 1) {
      throw new MigrationError(`Migration "${migration.name}" has number ${migration.number}; expected ${index + 1}.`)
    }
  })
}

/** Throws MigrationError for a database that a newer version has written. */
export const refuseNewer = (newest: number, known: number) => {
  if (newest <= known) return
  throw new MigrationError(
    `The data was written by a newer version (schema ${newest}; this version supports up to ${known}). Start that version, or use another data directory or database.`,
  )
}

/**
 * Applies missing migrations, each in its own transaction, and returns their numbers.
 * Throws MigrationError when a newer version has written the database.
 */
export const migrate = async (db: Kysely<unknown>, migrations: readonly Migration[]): Promise<number[]> => {
  checkNumbering(migrations)
  const typed = db as Kysely<AppliedTable>
  await typed.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'text', (column) => column.notNull())
    .execute()
  const applied = new Set(
    (await typed.selectFrom('schema_migrations').select('number').execute()).map((row) => row.number),
  )
  refuseNewer(Math.max(0, ...applied), migrations.length)
  const done: number[] = []
  for (const migration of migrations.filter(({ number }) => !applied.has(number))) {
    await typed.transaction().execute(async (transaction) => {
      await migration.up(transaction)
      await sql`insert into schema_migrations (number, name, applied_at) values (${migration.number}, ${migration.name}, ${new Date().toISOString()})`.execute(
        transaction,
      )
    })
    done.push(migration.number)
  }
  return done
}
