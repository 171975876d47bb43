import pg from 'pg'
import type { Log } from '../../telemetry/mod.ts'
import type { PostgresLimits } from '../location.ts'

/** How long the driver waits for an answer beyond what the server may take over it, in milliseconds. */
const answerGrace = 5_000

const oids = { boolean: 16, bytes: 17, bigint: 20, numeric: 1700 } as const

const toNumber = (text: string): number => {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError(`The database holds ${text}, which is more than a number can be exact about.`)
  return number
}

/** Values as SQLite gives them: numbers for what is counted or summed, 0 and 1 for what is true, plain bytes. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [oids.boolean]: (text) => (text === 't' ? 1 : 0),
  [oids.bytes]: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  [oids.bigint]: toNumber,
  [oids.numeric]: toNumber,
}

export type PoolOptions = {
  databaseUrl: string
  /** The schema that names without one mean. */
  schema: string
  limits: PostgresLimits
  log: Log
}

/** The address with the schema as a setting of each connection, beside those that it has already. */
const withSchema = (databaseUrl: string, schema: string): string => {
  // An address that cannot be read is not repeated in the error: it may hold a password.
  if (!URL.canParse(databaseUrl))
    throw new TypeError('The address of the database cannot be read: write postgresql://user:password@host:5432/name.')
  const url = new URL(databaseUrl)
  const options = [url.searchParams.get('options'), `-c search_path=${schema}`]
  url.searchParams.set('options', options.filter((option) => option !== null).join(' '))
  return url.href
}

/** Connections to one database, opened when they are asked for. TLS is as the address says. */
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
    // A server that went without a word answers no more: waiting for it ends here.
    query_timeout: limits.statementMilliseconds === 0 ? 0 : limits.statementMilliseconds + answerGrace,
    keepAlive: true,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        (format !== 'binary' && parsers[oid]) || pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // A connection that breaks while nobody uses it leaves the pool; the next query opens another.
  pool.on('error', (error) => log.warn({ err: error }, 'a connection to the database was lost'))
  // One that breaks in use fails its query with the same words; without a listener that would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
