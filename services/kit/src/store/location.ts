/** Limits on the use of a Postgres database by one process. Times in milliseconds. */
export type PostgresLimits = {
  /** Maximum open connections. */
  connections: number
  /** Maximum wait for a connection, either a free one of the pool or a new one. */
  connectMilliseconds: number
  /** A connection unused for this long is closed. */
  idleMilliseconds: number
  /** Maximum queries that wait for a connection; past it further queries fail at once. */
  waiting: number
  /** Maximum duration of a statement. */
  statementMilliseconds: number
  /** Maximum wait of a statement for another transaction's lock. */
  lockMilliseconds: number
  /** Maximum idle time of a transaction between two statements before the server ends it. */
  idleInTransactionMilliseconds: number
}

/** A folder: one SQLite file for each service. */
export type SqliteLocation = {
  dataDirectory: string
  /** How long a statement waits for another writer's lock before it fails with 503; default 30 s. */
  lockWaitMilliseconds?: number
}

/** A Postgres database, in which each service has its own schema. */
export type PostgresLocation = {
  /** `postgresql://user:password@host:5432/database?sslmode=...`; the URL determines TLS. */
  databaseUrl: string
  limits?: Partial<PostgresLimits>
  /** How long `openStore` waits for another process to migrate the schema; default 60 s. */
  schemaWaitMilliseconds?: number
}

/** The database of a store. */
export type StoreLocation = SqliteLocation | PostgresLocation

export const isPostgres = (location: StoreLocation): location is PostgresLocation => 'databaseUrl' in location

export const postgresLimits: PostgresLimits = {
  connections: 10,
  connectMilliseconds: 5_000,
  idleMilliseconds: 30_000,
  waiting: 1_000,
  statementMilliseconds: 30_000,
  lockMilliseconds: 10_000,
  idleInTransactionMilliseconds: 30_000,
}
