/** How a Postgres database is used by one process. Times in milliseconds. */
export type PostgresLimits = {
  /** Connections held open at most. */
  connections: number
  /** Waiting for a connection, be it a free one of ours or a new one to the server. */
  connectMilliseconds: number
  /** A connection unused for this long is closed. */
  idleMilliseconds: number
  /** Queries waiting for a connection past which another is refused at once. */
  waiting: number
  /** The longest that one statement may run. */
  statementMilliseconds: number
  /** The longest that a statement may wait for a lock of another transaction. */
  lockMilliseconds: number
  /** The longest that a transaction may stand still between two statements before the server ends it. */
  idleInTransactionMilliseconds: number
}

/** A folder: one SQLite file for each service. */
export type SqliteLocation = {
  dataDirectory: string
  /** How long a statement waits for another writer's lock before it fails as 503; 30 s unless told. */
  lockWaitMilliseconds?: number
}

/** A Postgres database, in which each service has a schema of its own. */
export type PostgresLocation = {
  /** `postgresql://user:password@host:5432/database?sslmode=...`; TLS is as the URL says. */
  databaseUrl: string
  limits?: Partial<PostgresLimits>
  /** How long an opening waits for the schema to be brought up to date by whoever runs the migrations; 60 s unless told. */
  schemaWaitMilliseconds?: number
}

/** Where a store stands. */
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
