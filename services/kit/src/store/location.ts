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
  /** Maximum duration of a statement, with its waits for locks. */
  statementMilliseconds: number
  /** Maximum wait of a statement for another transaction's lock. */
  lockMilliseconds: number
  /** Maximum idle time of a transaction between two statements before the server ends it. */
  idleInTransactionMilliseconds: number
}

/** A folder: one SQLite file for each service. */
export type SqliteLocation = {
  dataDirectory: string
  /** Name of the file of the one store that is opened there; default: its name with the ending `.db`. */
  file?: string
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

/** How long a statement waits for the lock of another transaction, on either database, in milliseconds. */
export const defaultLockWait = 30_000

export const postgresLimits: PostgresLimits = {
  connections: 10,
  connectMilliseconds: 5_000,
  idleMilliseconds: 30_000,
  waiting: 1_000,
  // Above the wait for a lock, which otherwise would end as a statement that takes too long.
  statementMilliseconds: 60_000,
  lockMilliseconds: defaultLockWait,
  idleInTransactionMilliseconds: 30_000,
}
