import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { isServiceError } from '../../errors/mod.ts'
import type { Log } from '../../telemetry/mod.ts'
import { checkNumbering, type Migration, MigrationError, migrate, refuseNewer } from '../migrations.ts'

/** Between two looks at a schema that is not ready, or at a lock that another holds, in milliseconds. */
const lookAgain = 250

type AppliedTable = { schema_migrations: { number: number } }

/** The number of the newest step that a schema has seen; 0 where there is nothing of ours yet. */
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

/** SQLSTATEs of a database that knows us but not what we say of ourselves or of it: for a person to mend, not for waiting. */
const refusals = new Set(['28000', '28P01', '3D000', '42501'])

const explained = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!(error instanceof Error) || !refusals.has(code)) return error
  return new MigrationError(`The database refuses this program: ${error.message}.`, { cause: error })
}

export type AwaitedSchema = {
  name: string
  migrations: readonly Migration[]
  waitMilliseconds: number
  log: Log
}

/**
 * Waits until a schema is as new as the program, which changes nothing itself: so replicas may start in any order, and
 * before their database. Throws MigrationFailure for a schema that is newer, or still older after the wait, and
 * `unavailable` when the database cannot be reached after the wait.
 */
export const awaitSchema = async (
  db: Kysely<unknown>,
  { name, migrations, waitMilliseconds, log }: AwaitedSchema,
): Promise<void> => {
  checkNumbering(migrations)
  const deadline = performance.now() + waitMilliseconds
  const said = new Set<string>()
  const wait = async (failed: Error, warn: () => void): Promise<void> => {
    if (performance.now() + lookAgain > deadline) throw failed
    if (!said.has(failed.name)) warn()
    said.add(failed.name)
    await sleep(lookAgain)
  }
  for (;;) {
    try {
      const newest = await newestApplied(db)
      refuseNewer(newest, migrations.length)
      if (newest === migrations.length) return
      const found = `The schema "${name}" of the database is at step ${newest}, and this version needs ${migrations.length}`
      // Usual where replicas and migrations are started together, as the chart does.
      await wait(new MigrationError(`${found}: run the migrations first.`), () =>
        log.info({ schema: name, step: newest, needed: migrations.length }, 'waiting for the migrations'),
      )
    } catch (error) {
      if (!isServiceError(error, 'unavailable')) throw explained(error)
      await wait(error, () => log.warn({ schema: name, err: error }, 'waiting for the database'))
    }
  }
}

/** Held by the one who migrates, for as long as its connection: a migrator that dies leaves no lock behind. */
const lockKey = (name: string) => sql`hashtext('trellis migrations'), hashtext(${name})`

const takeLock = async (db: Kysely<unknown>, name: string, waitMilliseconds: number, log: Log): Promise<void> => {
  const deadline = performance.now() + waitMilliseconds
  for (let hasSaid = false; ; hasSaid = true) {
    const { rows } = await sql<{ taken: number }>`select pg_try_advisory_lock(${lockKey(name)}) as taken`.execute(db)
    if (rows[0]?.taken) return
    if (performance.now() > deadline)
      throw new MigrationError(`Another process has been migrating the schema "${name}" for too long: look after it.`)
    if (!hasSaid) log.info({ schema: name }, 'another process is migrating: waiting for it')
    await sleep(lookAgain)
  }
}

/** Asked for only where it is missing: that may be the right of another than the one who changes what is in it. */
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
 * Brings a schema up to date, one migrator at a time; gives the numbers of the steps applied now. Throws MigrationFailure
 * for data of a newer version, and for what the database does not allow.
 */
export const migrateSchema = async (db: Kysely<unknown>, schema: AwaitedSchema): Promise<number[]> => {
  try {
    return await migrateLocked(db, schema)
  } catch (error) {
    throw explained(error)
  }
}
