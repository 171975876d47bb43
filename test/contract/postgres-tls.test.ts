import { chmodSync, chownSync } from 'node:fs'
import { migrateStore, openStore, sql } from '@trellis/kit/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canMakeCertificates, createAuthority } from '../support/certificates.ts'
import { postgresMissing, startTestPostgres, type TestPostgres } from '../support/postgres.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const missing = postgresMissing ?? (canMakeCertificates() ? undefined : 'openssl was not found')

/** The uid of Postgres when the tests run as root. */
const unprivilegedUser = 65_534

describe.skipIf(missing !== undefined)(`Postgres over TLS${missing ? ` (${missing})` : ''}`, () => {
  const opened = new AsyncDisposableStack()
  let postgres: TestPostgres
  let authorityFile: string
  let otherAuthorityFile: string

  beforeAll(async () => {
    const { path } = opened.use(await temporaryDirectory())
    chmodSync(path, 0o755)
    const authority = createAuthority(path)
    const { certificateFile, keyFile } = authority.issue('database')
    authorityFile = authority.authorityFile
    otherAuthorityFile = createAuthority(path, 'another').authorityFile
    chmodSync(keyFile, 0o600)
    if (process.getuid?.() === 0) chownSync(keyFile, unprivilegedUser, unprivilegedUser)
    postgres = opened.use(await startTestPostgres({ ssl: 'on', ssl_cert_file: certificateFile, ssl_key_file: keyFile }))
  })
  afterAll(() => opened.disposeAsync())

  const isEncrypted = async (parameters: Record<string, string>) => {
    const url = new URL(await postgres.createDatabase())
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const location = { databaseUrl: url.href }
    await migrateStore(location, { name: 'tls', migrations: [] })
    await using store = await openStore<unknown>({ ...location, name: 'tls', migrations: [] })
    const { rows } = await sql<{ ssl: number }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(
      store.db,
    )
    return rows[0]?.ssl === 1
  }

  test('connections are encrypted if the address requests it, and verified by its authority', async () => {
    expect(await isEncrypted({ sslmode: 'verify-full', sslrootcert: authorityFile })).toBe(true)
    expect(await isEncrypted({})).toBe(false)
  })

  test('a server with a certificate of another authority is refused', async () => {
    await expect(isEncrypted({ sslmode: 'verify-full', sslrootcert: otherAuthorityFile })).rejects.toThrow(
      /certificate/,
    )
  })
})
