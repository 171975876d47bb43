import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toServiceError } from '../errors/mod.ts'
import { openStore } from './store.ts'

type Tables = { things: { id: string } }

const migrations = [
  {
    number: 1,
    name: 'things',
    up: async (db) => {
      await db.schema
        .createTable('things')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .execute()
    },
  },
] satisfies Parameters<typeof openStore>[0]['migrations']

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trellis-store-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const open = (lockWaitMilliseconds?: number) =>
  openStore<Tables>({
    name: 'x',
    dataDirectory: directory,
    migrations,
    ...(lockWaitMilliseconds ? { lockWaitMilliseconds } : {}),
  })

test('a write waits for another writer without blocking the event loop', async () => {
  await using store = await open()
  const other = new DatabaseSync(join(directory, 'x.db'))
  other.exec('begin immediate')
  let settled = false
  const writing = store.db
    .insertInto('things')
    .values({ id: 'a' })
    .execute()
    .finally(() => {
      settled = true
    })
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(settled).toBe(false)
  other.exec('commit')
  await writing
  other.close()
})

test('a write fails with 503 and a time to retry after when the lock is not released in time', async () => {
  await using store = await open(50)
  const other = new DatabaseSync(join(directory, 'x.db'))
  other.exec('begin immediate')
  await expect(store.db.insertInto('things').values({ id: 'a' }).execute()).rejects.toMatchObject({
    kind: 'unavailable',
    retryAfterSeconds: 5,
  })
  other.exec('rollback')
  other.close()
})

test('a database without space fails with 503, in a transaction too, and writes again once there is space', async () => {
  await using store = await open()
  const limit = (pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(store.db)
  const write = (id: string) => store.db.insertInto('things').values({ id }).execute()
  const long = 'x'.repeat(100_000)
  await limit(1)
  await expect(write(long).catch((error: unknown) => Promise.reject(toServiceError(error)))).rejects.toMatchObject({
    kind: 'unavailable',
    retryAfterSeconds: 60,
    message: 'The disk of the server is full. Try again when there is space on it.',
  })
  const transaction = store.db.transaction().execute((both) => both.insertInto('things').values({ id: long }).execute())
  await expect(transaction).rejects.toThrow('database or disk is full')
  await limit(1_000)
  await write(long)
})

const killedWriter = `
import { openStore } from ${JSON.stringify(new URL('./mod.ts', import.meta.url).href)}
const store = await openStore({ name: 'x', dataDirectory: process.argv[1], migrations: [] })
for (let id = 0; ; id += 1) {
  await store.db.insertInto('things').values({ id: String(id) }).execute()
  process.stdout.write(id + '\\n')
}`

test('acknowledged writes survive a kill -9', async () => {
  await (await open()).close()
  const program = killedWriter.replace(
    'migrations: []',
    `migrations: [{ number: 1, name: 'things', up: async () => {} }]`,
  )
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let acknowledged = -1
  for await (const text of child.stdout.setEncoding('utf8')) {
    acknowledged = Math.max(acknowledged, ...String(text).trim().split('\n').map(Number))
    if (acknowledged >= 50) child.kill('SIGKILL')
  }
  await using store = await open()
  const rows = await store.db.selectFrom('things').select('id').execute()
  expect(rows.length).toBeGreaterThan(acknowledged)
})
