import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { type ListingsTables, migrations } from '../schemas.ts'
import { addEntries, entriesBefore, sharedOwner } from './store.ts'

test('other work of the process goes on while a long list is added', async () => {
  await using directory = await temporaryDirectory()
  await using store = await openStore<ListingsTables>({
    dataDirectory: directory.path,
    name: 'listings',
    migrations,
    log: silentLog,
  })
  const entries = Array.from({ length: 5_000 }, (_, index) => ({
    platform: 'marketplace',
    platform_seller_id: `seller-${index}`,
    username: `Seller ${index}`,
    reason: null,
    source: 'csv_import' as const,
  }))
  let turns = 0
  let isAdding = true
  const count = () => {
    turns += 1
    if (isAdding) setImmediate(count)
  }
  setImmediate(count)
  const added = await addEntries(store.db, sharedOwner, entries, new Date())
  isAdding = false
  expect(added).toHaveLength(entries.length)
  expect(turns).toBeGreaterThanOrEqual(9)
  expect(await entriesBefore(store.db, 'local', { limit: 6_000 })).toHaveLength(entries.length)
})
