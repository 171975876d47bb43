import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { isServiceError } from '../../errors/mod.ts'
import type { Log } from '../../telemetry/mod.ts'
import { checkNumbering, type Migration, MigrationError, migrate, refuseNewer } from '../migrations.ts'

/** Poll interval for a schema that is not ready, or a lock that another process holds, in milliseconds. */
const pollMilliseconds = 250

type AppliedTable = { schema_migrations: { number: number } }

/** The number of the newest applied step; 0 for a new schema. */
const newestApplied = async (db: Kysely<unknown>): Promise<number> => {
  const { rows } = await sql<{ known: number }>`select to_regclass('schema_migrations') is not null as known`.execute(
    db,
  )
  if (!rows[0]?.known) return 0
  const { newest } = await (db as Kysely<AppliedTable>)
    .selectFrom('schema_migrations')
    .select((eb) => eb.fn.max('number').as('newest'))
    .executeTakeFirstOrThrow()
  return newest ?? 0
}

/** SQLSTATEs of wrong credentials, a missing database or missing privileges, which an operator must fix; waiting does not help. */
const refusals = new Set(['28000', '28P01', '3D000', '42501'])

const explained = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!(error instanceof Error) || !refusals.has(code)) return error
  return new MigrationError(`The database rejects this program: ${error.message}.`, { cause: error })
}

export type AwaitedSchema = {
  name: string
  migrations: readonly Migration[]
  waitMilliseconds: number
  log: Log
}

/**
 * Waits until another process has migrated the schema to the program's version, so that replicas may start in any order, and
 * before their database. Throws MigrationError for a schema that is newer, or still older after the wait, and
 * `unavailable` when the database cannot be reached after the wait.
 */
export const awaitSchema = async (
  db: Kysely<unknown>,
  { name, migrations, waitMilliseconds, log }: AwaitedSchema,
): Promise<void> => {
  checkNumbering(migrations)
  const deadline = performance.now() + waitMilliseconds
  const warned = new Set<string>()
  const wait = async (failed: Error, warn: () => void): Promise<void> => {
    if (performance.now() + pollMilliseconds > deadline) throw failed
    if (!warned.has(failed.name)) warn()
    warned.add(failed.name)
    await sleep(pollMilliseconds)
  }
  for (;;) {
    try {
      const newest = await newestApplied(db)
      refuseNewer(newest, migrations.length)
      if (newest === migrations.length) return
      const found = `The schema "${name}" of the database is at step ${newest}, and this version needs ${migrations.length}`
      // Normal where replicas and migrations start together, as with the chart.
      await wait(new MigrationError(`${found}: run the migrations first.`), () =>
        log.info({ schema: name, step: newest, needed: migrations.length }, 'waiting for the migrations'),
      )
    } catch (error) {
      if (!isServiceError(error, 'unavailable')) throw explained(error)
      await wait(error, () => log.warn({ schema: name, err: error }, 'waiting for the database'))
    }
  }
}

/** An advisory lock, held for the migrator's connection: a migrator that dies leaves no stale lock. */
const lockKey = (name: string) => sql`hashtext('trellis migrations'), hashtext(${name})`

const takeLock = async (db: Kysely<unknown>, name: string, waitMilliseconds: number, log: Log): Promise<void> => {
  const deadline = performance.now() + waitMilliseconds
  for (let hasLogged = false; ; hasLogged = true) {
    const { rows } = await sql<{ taken: number }>`select pg_try_advisory_lock(${lockKey(name)}) as taken`.execute(db)
    if (rows[0]?.taken) return
    if (performance.now() > deadline)
      throw new MigrationError(
        `Another process has been migrating the schema "${name}" for too long. Check that process.`,
      )
    if (!hasLogged) log.info({ schema: name }, 'another process is migrating: waiting for it')
    await sleep(pollMilliseconds)
  }
}

/** Creates the schema only if it is missing, because the migrating user may lack the privilege to create one. */
const createSchema = async (db: Kysely<unknown>, name: string): Promise<void> => {
  const { rows } = await sql<{ known: number }>`select to_regnamespace(${name}) is not null as known`.execute(db)
  if (!rows[0]?.known) await sql`create schema ${sql.id(name)}`.execute(db)
}

const migrateLocked = (
  db: Kysely<unknown>,
  { name, migrations, waitMilliseconds, log }: AwaitedSchema,
): Promise<number[]> =>
  db.connection().execute(async (connection) => {
    await takeLock(connection, name, waitMilliseconds, log)
    try {
      await createSchema(connection, name)
      return await migrate(connection, migrations)
    } finally {
      await sql`select pg_advisory_unlock(${lockKey(name)})`.execute(connection)
    }
  })

/**
 * Migrates a schema, one migrator at a time, and returns the numbers of the steps that it applied. Throws MigrationError
 * for data of a newer version, and when the database rejects us.
 */
export const migrateSchema = async (db: Kysely<unknown>, schema: AwaitedSchema): Promise<number[]> => {
  try {
    return await migrateLocked(db, schema)
  } catch (error) {
    throw explained(error)
  }
}
