import { openStore } from '@trellis/kit/store'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { logsMigrations } from '../schemas.ts'
import { endSession, isSessionEnded, type SessionTables } from './store.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const session = (id: string, hours: number) => ({ id, expiresAt: noon / 1_000 + hours * 3_600 })

test('ended sessions survive a restart, and are deleted once they have expired', async () => {
  await using directory = await temporaryDirectory()
  const open = () =>
    openStore<SessionTables>({ name: 'logs', dataDirectory: directory.path, migrations: logsMigrations })
  const before = await open()
  await endSession(before.db, session('first', 1), noon)
  await endSession(before.db, session('first', 1), noon)
  await before.close()

  const { db, close } = await open()
  expect([await isSessionEnded(db, 'first'), await isSessionEnded(db, 'other')]).toEqual([true, false])
  await endSession(db, session('second', 12), noon + 2 * 3_600_000)
  expect(await db.selectFrom('ended_sessions').select('id').execute()).toEqual([{ id: 'second' }])
  await close()
})
