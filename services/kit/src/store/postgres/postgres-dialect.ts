import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { toParameter } from '../parameters.ts'
import { retryingLostRaces } from '../transact.ts'
import { PortableCompiler } from './postgres-compiler.ts'
import { isFatal, tooManyWaiting, toStoreError } from './postgres-errors.ts'
import { createPool, type PoolOptions } from './postgres-pool.ts'

type Connection = DatabaseConnection & {
  begin: (isolation: string | undefined) => Promise<void>
  commit: () => Promise<void>
  rollBack: () => Promise<void>
  release: () => void
}

const isChange = /^(INSERT|UPDATE|DELETE|MERGE)$/

const createConnection = (client: pg.PoolClient): Connection => {
  let isBroken = false
  let inTransaction = false

  const send = async (text: string, parameters: readonly unknown[] = []): Promise<pg.QueryResult> => {
    try {
      return await client.query(text, parameters.map(toParameter))
    } catch (error) {
      isBroken ||= isFatal(error)
      throw toStoreError(error)
    }
  }

  const run = async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
    const { command, rowCount, rows } = await send(sql, parameters)
    return isChange.test(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
  }

  const begin = async (isolation: string | undefined): Promise<void> => {
    await send(isolation === undefined ? 'begin' : `begin isolation level ${isolation}`)
    inTransaction = true
  }

  const end = async (how: 'commit' | 'rollback'): Promise<void> => {
    const { command } = await send(how)
    inTransaction = false
    // After a failed statement, Postgres answers a commit with a rollback and without an error.
    if (how === 'commit' && command === 'ROLLBACK') throw new Error('The transaction failed before its commit.')
  }

  /** Rolls back. When that fails, it marks the connection as broken, which ends the transaction as well; the caller throws the original error. */
  const rollBack = async (): Promise<void> => {
    if (isBroken) return
    try {
      await end('rollback')
    } catch {
      isBroken = true
    }
  }

  /** Reads in portions through a cursor, which requires a transaction: the current one, or a new one. */
  async function* stream<R>({ sql, parameters }: CompiledQuery, size: number): AsyncGenerator<QueryResult<R>> {
    const isOwn = !inTransaction
    if (isOwn) await begin(undefined)
    try {
      await send(`declare portions no scroll cursor for ${sql}`, parameters)
      for (;;) {
        const { rows } = await send(`fetch forward ${size} from portions`)
        if (rows.length > 0) yield { rows }
        if (rows.length < size) break
      }
      if (!isOwn) await send('close portions')
    } finally {
      if (isOwn) await rollBack()
    }
  }

  return {
    // A statement outside of a transaction is its own transaction, so it can be retried after a conflict.
    executeQuery: <R>(query: CompiledQuery) => (inTransaction ? run<R>(query) : retryingLostRaces(() => run<R>(query))),
    streamQuery: stream,
    begin,
    commit: () => end('commit'),
    rollBack,
    release: () => client.release(isBroken || inTransaction),
  }
}

const createDriver = (options: PoolOptions): Driver => {
  const pool = createPool(options)
  const acquire = async (): Promise<Connection> => {
    if (pool.waitingCount >= options.limits.waiting) throw tooManyWaiting()
    try {
      return createConnection(await pool.connect())
    } catch (error) {
      throw toStoreError(error)
    }
  }
  return {
    init: async () => undefined,
    acquireConnection: acquire,
    beginTransaction: (connection, { isolationLevel }) => (connection as Connection).begin(isolationLevel),
    commitTransaction: (connection) => (connection as Connection).commit(),
    rollbackTransaction: (connection) => (connection as Connection).rollBack(),
    releaseConnection: async (connection) => (connection as Connection).release(),
    destroy: () => pool.end(),
  }
}

/** Kysely on Postgres, with the same types and results as on SQLite; transient failures of the database throw `unavailable`. */
export const createPostgresDialect = (options: PoolOptions): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => createDriver(options),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PortableCompiler(),
})
