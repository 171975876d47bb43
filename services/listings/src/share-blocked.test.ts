import { readConfig } from '@trellis/kit/config'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { listingsConfig } from './config.ts'
import { writePreference } from './preferences/store.ts'
import { type ListingsTables, listingsSchema } from './schemas.ts'
import { shareBlocked } from './share-blocked.ts'

const now = () => new Date('2026-03-01T09:15:02.000Z')
const entry = { platform: 'marketplace', platform_seller_id: 'a_seller' }

const open = async (environment: Record<string, string>) => {
  const stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryDirectory())
  const { db } = stack.use(await openStore<ListingsTables>({ dataDirectory: path, ...listingsSchema }))
  const share = shareBlocked({ db, config: readConfig(listingsConfig, environment), log: silentLog, now })
  const prefer = (value: boolean) =>
    writePreference(db, 'anna', { path: 'community.blocklist_share', value, now: now() })
  const waiting = async () =>
    (await db.selectFrom('published_signals').selectAll().execute()).map(({ platform_seller_id, flags_json }) => [
      platform_seller_id,
      flags_json,
    ])
  return { db, share, prefer, waiting, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const community = { COMMUNITY_DB_URL: 'postgresql://127.0.0.1:9/community' }

test('a blocked seller is published only for users whose preference allows it', async () => {
  await using opened = await open(community)
  await opened.share('anna', entry, ['new_account'])
  await opened.prefer(false)
  await opened.share('anna', entry, ['new_account'])
  expect(await opened.waiting()).toEqual([])
  await opened.prefer(true)
  await opened.share('ben', entry, ['new_account'])
  await opened.share('anna', entry, ['new_account'])
  expect(await opened.waiting()).toEqual([['a_seller', '["new_account"]']])
})

test('without a community database nothing is published, whatever the preference', async () => {
  await using opened = await open({})
  await opened.prefer(true)
  await opened.share('anna', entry, [])
  expect(await opened.waiting()).toEqual([])
})

test('a failure to read the preference does not fail the caller', async () => {
  await using opened = await open(community)
  await opened.db.schema.dropTable('preferences').execute()
  await opened.share('anna', entry, [])
  expect(await opened.waiting()).toEqual([])
})
