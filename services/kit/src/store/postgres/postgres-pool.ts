import pg from 'pg'
import type { Log } from '../../telemetry/mod.ts'
import type { PostgresLimits } from '../location.ts'

/** How long the driver waits for an answer beyond the server's statement time-out, in milliseconds. */
const answerGrace = 5_000

const oids = { boolean: 16, bytes: 17, bigint: 20, numeric: 1700 } as const

const toNumber = (text: string): number => {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError(`The database holds ${text}, which is beyond the safe integers.`)
  return number
}

/** Parses values as on SQLite: numbers for counts and sums, 0 and 1 for booleans, plain bytes. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [oids.boolean]: (text) => (text === 't' ? 1 : 0),
  [oids.bytes]: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  [oids.bigint]: toNumber,
  [oids.numeric]: toNumber,
}

export type PoolOptions = {
  databaseUrl: string
  /** The schema of unqualified names. */
  schema: string
  limits: PostgresLimits
  log: Log
}

/** The URL with `search_path` added to its connection options. */
const withSchema = (databaseUrl: string, schema: string): string => {
  // The error does not quote the address, because it may hold a password.
  if (!URL.canParse(databaseUrl))
    throw new TypeError('The address of the database is invalid. Write postgresql://user:password@host:5432/name.')
  const url = new URL(databaseUrl)
  const options = [url.searchParams.get('options'), `-c search_path=${schema}`]
  url.searchParams.set('options', options.filter((option) => option !== null).join(' '))
  return url.href
}

/** A pool of connections to one database, opened on demand. The URL determines TLS. */
export const createPool = ({ databaseUrl, schema, limits, log }: PoolOptions): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: withSchema(databaseUrl, schema),
    application_name: `trellis-${schema}`,
    max: limits.connections,
    connectionTimeoutMillis: limits.connectMilliseconds,
    idleTimeoutMillis: limits.idleMilliseconds,
    statement_timeout: limits.statementMilliseconds,
    lock_timeout: limits.lockMilliseconds,
    idle_in_transaction_session_timeout: limits.idleInTransactionMilliseconds,
    // Ends the wait for a server that vanished without closing the connection.
    query_timeout: limits.statementMilliseconds === 0 ? 0 : limits.statementMilliseconds + answerGrace,
    keepAlive: true,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        (format !== 'binary' && parsers[oid]) || pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // An idle connection that breaks leaves the pool; the next query opens another.
  pool.on('error', (error) => log.warn({ err: error }, 'database: connection lost'))
  // A connection that breaks in use fails its query with the same error; without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
