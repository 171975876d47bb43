import { openStore, sql } from '@trellis/kit/store'
import { postgresMissing } from '@trellis/test/support/postgres'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { readLaunchConfig } from './config.ts'
import { startLocalServers } from './local-servers.ts'

/** Neither is contacted: only Postgres is started. */
const others = {
  NATS_URL: '127.0.0.1:1',
  S3_ENDPOINT: 'http://127.0.0.1:1',
  S3_BUCKET: 'none',
  S3_ACCESS_KEY_ID: 'none',
  S3_SECRET_ACCESS_KEY: 'none',
}

test.skipIf(postgresMissing !== undefined).each([
  [6, '10', 100],
  [12, '10', 140],
  [6, '40', 260],
])(
  `the database admits all connections of %i processes with DATABASE_CONNECTIONS=%s${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  async (storingProcesses, each, admitted) => {
    await using directory = await temporaryDirectory()
    const { connections } = readLaunchConfig({ ...others, DATABASE_CONNECTIONS: each })
    await using servers = await startLocalServers(connections, {
      directory: directory.path,
      environment: process.env,
      storingProcesses,
      printLine: () => undefined,
    })
    const databaseUrl = servers.grants.database.DATABASE_URL ?? ''
    await using store = await openStore<unknown>({ databaseUrl, name: 'public', migrations: [] })
    const { rows } = await sql<{ max_connections: string }>`show max_connections`.execute(store.db)
    expect(Number(rows[0]?.max_connections)).toBe(admitted)
  },
)
