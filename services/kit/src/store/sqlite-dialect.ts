import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { serviceError } from '../errors/mod.ts'
import { retry } from '../retry/mod.ts'
import { toParameter } from './parameters.ts'

const sqliteBusy = 5
const statementCacheSize = 200

const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 0xff) === sqliteBusy

export type SqliteOptions = { path: string; lockWaitMilliseconds: number }

/** Retries a statement while another process holds the write lock, without blocking the event loop. */
const waitingForLock = <T>(run: () => T, limitMilliseconds: number): Promise<T> =>
  retry(
    {
      backoff: { initial: 4, max: 100 },
      withinMilliseconds: limitMilliseconds,
      isRetryable: isBusy,
      onExhausted: (error) =>
        serviceError('unavailable', 'The database stayed locked by another writer. Try again shortly.', {
          cause: error,
          retryAfterSeconds: 5,
        }),
    },
    run,
  )

/** LRU cache of prepared statements, so that a query's SQL is parsed once. */
const createStatements = (database: DatabaseSync) => {
  const cache = new Map<string, StatementSync>()
  return {
    prepare: (text: string): StatementSync => {
      const known = cache.get(text)
      if (known) {
        cache.delete(text)
        cache.set(text, known)
        return known
      }
      const statement = database.prepare(text)
      cache.set(text, statement)
      const oldest = cache.keys().next()
      if (cache.size > statementCacheSize && !oldest.done) cache.delete(oldest.value)
      return statement
    },
    clear: () => cache.clear(),
  }
}

const isSchemaChange = /^\s*(create|alter|drop)\b/i

const createConnection = (database: DatabaseSync, lockWaitMilliseconds: number): DatabaseConnection => {
  const statements = createStatements(database)
  const run = (query: CompiledQuery): QueryResult<never> => {
    if (isSchemaChange.test(query.sql)) statements.clear()
    const statement = statements.prepare(query.sql)
    const parameters = query.parameters.map(toParameter)
    if (statement.columns().length > 0) {
      // Rows are null-prototype objects, which do not compare equal to plain ones, so they are copied.
      return { rows: statement.all(...parameters).map((row) => ({ ...row })) as never[] }
    }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
  return {
    executeQuery: <R>(query: CompiledQuery) =>
      waitingForLock(() => run(query), lockWaitMilliseconds) as Promise<QueryResult<R>>,
    async *streamQuery<R>(query: CompiledQuery) {
      const statement = database.prepare(query.sql)
      for (const row of statement.iterate(...query.parameters.map(toParameter))) yield { rows: [{ ...row }] as R[] }
    },
  }
}

/** A FIFO mutex: SQLite has one writer, and a transaction must not be interleaved. */
const createMutex = () => {
  let tail: Promise<void> = Promise.resolve()
  let release: () => void = () => undefined
  return {
    lock: async () => {
      const before = tail
      const held = Promise.withResolvers<void>()
      tail = held.promise
      await before
      release = held.resolve
    },
    unlock: () => release(),
  }
}

const createDriver = ({ path, lockWaitMilliseconds }: SqliteOptions): Driver => {
  const mutex = createMutex()
  let database: DatabaseSync | undefined
  let connection: DatabaseConnection | undefined
  const execute = (text: string) => async (held: DatabaseConnection) => {
    await held.executeQuery(CompiledQuery.raw(text))
  }
  return {
    init: async () => {
      const opened = new DatabaseSync(path, { timeout: 0 })
      await waitingForLock(
        () =>
          opened.exec(
            // LIKE is case-sensitive, as in the SQL standard.
            'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory; pragma case_sensitive_like = on',
          ),
        lockWaitMilliseconds,
      )
      database = opened
      connection = createConnection(opened, lockWaitMilliseconds)
    },
    acquireConnection: async () => {
      await mutex.lock()
      if (connection) return connection
      mutex.unlock()
      throw new Error('The store is closed.')
    },
    // Immediate, so that the wait for the lock happens here and a started transaction cannot fail because of it.
    beginTransaction: execute('begin immediate'),
    commitTransaction: execute('commit'),
    rollbackTransaction: async (held) => {
      // SQLite has ended a transaction that the disk has no space for.
      if (database?.isTransaction) await execute('rollback')(held)
    },
    releaseConnection: async () => mutex.unlock(),
    destroy: async () => {
      connection = undefined
      database?.close()
      database = undefined
    },
  }
}

/** Kysely on Node's own SQLite. Waiting for a lock never blocks the event loop. */
export const createSqliteDialect = (options: SqliteOptions): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => createDriver(options),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})
