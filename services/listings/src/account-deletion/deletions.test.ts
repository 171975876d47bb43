import { readConfig } from '@trellis/kit/config'
import { openStore, sql } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { recordAlerts } from '../alerts/record.ts'
import { replaceSettings } from '../alerts/settings.ts'
import { addEntries } from '../blocklist/store.ts'
import { saveSignal } from '../community/store.ts'
import { listingsConfig } from '../config.ts'
import { insertCorrection } from '../corrections/store.ts'
import type { Erasure } from '../erasure/person.ts'
import { erasures as allErasures } from '../erasures.ts'
import { storeListings } from '../found/store.ts'
import { recordPhotoHash } from '../photo-hashes/store.ts'
import type { Listing } from '../records.ts'
import { addReports } from '../reported/store.ts'
import { scoreRows } from '../results/scored.ts'
import { type ListingsTables, listingsSchema } from '../schemas.ts'
import { saveScores } from '../scoring/store.ts'
import { sellersForUser } from '../sellers/for-user.ts'
import { upsertSellers } from '../sellers/store.ts'
import { openDeletions } from './deletions.ts'
import { insertDeletion } from './store.ts'

const hour = 3_600_000

const listing = (id: string, seller: string): Listing => ({
  platform: 'marketplace',
  platformListingId: id,
  title: 'Camera',
  price: 100,
  priceHigh: null,
  currency: 'USD',
  condition: 'used',
  sellerPlatformId: seller,
  url: `https://site.test/itm/${id}`,
  photoUrls: [],
  listingAgeDays: 0,
  buyingFormat: 'fixed_price',
  endsAt: null,
  bidCount: null,
  categoryName: null,
})

const seller = (id: string, username = id) => ({
  platform: 'marketplace',
  platformSellerId: id,
  username,
  accountOpened: null,
  feedbackCount: 7,
  feedbackRatio: 1,
  categoryHistory: null,
})

describe.each(databases)('deletions of accounts on $name', ({ start, isMissing }) => {
  let database: RunningDatabase
  let own = new AsyncDisposableStack()
  beforeAll(async () => {
    if (!isMissing) database = await start()
  })
  afterAll(() => database?.[Symbol.asyncDispose]())
  afterEach(async () => {
    const before = own
    own = new AsyncDisposableStack()
    await before.disposeAsync()
  })

  const open = async () => {
    const { location } = own.use(await database.place(listingsSchema))
    const { db } = own.use(await openStore<ListingsTables>({ ...location, ...listingsSchema }))
    const time = { now: new Date('2026-03-01T09:15:02.000Z') }
    const logged: string[] = []
    const log = { ...silentLog, error: (_context: unknown, message?: string) => void logged.push(message ?? '') }
    const common = { db, log, now: () => time.now, config: readConfig(listingsConfig, {}) }
    const startReplica = (erasures: readonly Erasure[] = allErasures) => {
      const ending = new AbortController()
      const rounds = openDeletions({ ...common, erasures, signal: ending.signal, roundMilliseconds: 20 })
      const end = async () => {
        ending.abort()
        await rounds[Symbol.asyncDispose]()
      }
      own.defer(end)
      return { ...rounds, end }
    }
    const row = () => db.selectFrom('account_deletions').selectAll().executeTakeFirstOrThrow()
    const pass = (advance = 0) => {
      time.now = new Date(time.now.getTime() + advance)
    }
    /** Everything that is stored, as text. */
    const allText = async () => {
      const texts: string[] = []
      for (const { name } of await db.introspection.getTables())
        texts.push(JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(db)).rows))
      return texts.join('\n').toLowerCase()
    }
    return { db, time, startReplica, row, pass, allText, logged }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  /** Stores a seller's traces in every table, for two users. */
  const leaveTraces = async ({ db, time }: Opened, id: string, listingId: string) => {
    for (const userId of ['anna', 'guest:1']) {
      const search = { id: `search ${userId} ${listingId}`, userId }
      const rows = await storeListings(db, search, [listing(listingId, id)], time.now)
      const score = { compositeScore: 50, scoredAt: time.now.toISOString(), evidence: [{ text: `of ${id}` }] }
      const context = { priceVariation: null, hasDuplicatePhoto: false, compQuery: 'camera' }
      await saveScores(
        db,
        rows.map((stored) => ({ listingId: stored.id, score: score as never, context })),
      )
      await addReports(db, { userId, platform: 'marketplace', now: time.now }, [{ platformSellerId: id, username: id }])
      await saveSignal(db, {
        user_id: userId,
        by_guest: 0,
        seller_id: userId === 'anna' ? id : `marketplace::${id}`,
        confirmed: 1,
        recorded_at: time.now.toISOString(),
      })
      await settle(db, userId, time.now)
      await alertTo(db, userId, { id, listingId, now: time.now })
      const entry = { platform: 'marketplace', platform_seller_id: id, username: id, reason: null } as const
      await addEntries(db, userId === 'anna' ? '' : userId, [{ ...entry, source: 'manual' }], time.now)
    }
    await upsertSellers(db, [seller(id)], time.now)
    await db
      .insertInto('published_signals')
      .values({
        id: `signal of ${listingId}`,
        platform: 'marketplace',
        platform_seller_id: id,
        signal_source: 'blocklist_add',
        flags_json: '[]',
        created_at: time.now.toISOString(),
        attempts: 0,
        next_attempt_at: 0,
        claimed_until: 0,
        last_error: null,
      })
      .execute()
    await correct({ db }, { input_text: `sold by ${id}.` })
  }

  /** A webhook, so that alerts are queued. */
  const settle = (db: Opened['db'], userId: string, now: Date) =>
    replaceSettings(
      db,
      userId,
      {
        quietHours: undefined,
        webhook: { url: 'https://hooks.example.com/', secret: 'a secret of some length' },
        email: undefined,
      },
      { rules: { blockPrivate: false, sendsMail: false, confirmsEmail: false }, now },
    )

  const alertTo = (
    db: Opened['db'],
    userId: string,
    { id, listingId, now }: { readonly id: string; readonly listingId: string; readonly now: Date },
  ) =>
    recordAlerts(db, {
      userId,
      savedSearch: { id: 1, name: 'Cameras' },
      minTrustScore: 0,
      candidates: [
        {
          platform: 'marketplace',
          platformListingId: listingId,
          title: 'A camera',
          url: `http://site.test/itm/${listingId}`,
          photoUrl: null,
          sellerPlatformId: id,
          price: 100,
          hasRange: false,
          currency: 'USD',
          buyingFormat: 'fixed_price',
          endsAt: null,
          compositeScore: 80,
          isPartial: false,
          hardFilters: [],
        },
      ],
      now,
    })

  const correct = ({ db }: Pick<Opened, 'db'>, change: Partial<Parameters<typeof insertCorrection>[1]>) =>
    insertCorrection(db, {
      user_id: 'anna',
      by_guest: 0,
      item_id: '',
      product: 'listings',
      correction_type: 'damage',
      input_text: 'in',
      original_output: 'out',
      corrected_output: 'right',
      rating: 'down',
      context_json: '{}',
      opted_in: 1,
      created_at: '2026-03-01T09:15:02.000Z',
      ...change,
    })

  test.skipIf(isMissing)('all traces of the account are deleted, in any case of its name, and no others', async () => {
    const opened = await open()
    const { db, startReplica, row, pass, allText } = opened
    await leaveTraces(opened, 'Gone.Seller_1', '1')
    await leaveTraces(opened, 'gone.seller_12', '2')
    expect(await insertDeletion(db, { id: 'n1', identifiers: ['gone.seller_1', 'ma8vp1jysjc'] }, opened.time.now)).toBe(
      true,
    )
    startReplica()
    await expect.poll(async () => (await row()).passes).toBe(1)
    pass(hour)
    await expect.poll(async () => (await row()).completed_at).not.toBeNull()
    const text = await allText()
    expect(text).not.toMatch(/gone\.seller_1(?!2)/)
    expect(text).not.toContain('ma8vp1jysjc')
    expect(text.match(/gone\.seller_12/g)?.length).toBeGreaterThan(10)
    const counts = async (table: 'listings' | 'listing_prices' | 'listing_sightings' | 'trust_scores') =>
      (await db.selectFrom(table).select('id').execute()).length
    expect([
      await counts('listings'),
      await counts('listing_prices'),
      await counts('listing_sightings'),
      await counts('trust_scores'),
    ]).toEqual([2, 2, 2, 2])
    expect(await row()).toMatchObject({ notification_id: 'n1', identifiers_json: null, passes: 2 })
    expect(JSON.parse((await row()).erased_json)).toEqual({
      corrections: 1,
      community_signals: 2,
      published_signals: 1,
      reported_sellers: 2,
      blocklist: 2,
      alerts: 6,
      photo_tasks: 0,
      photo_matches: 0,
      listings: 2,
      sellers: 1,
    })
  })

  test.skipIf(isMissing)(
    "another seller's score no longer quotes a listing of the account as its duplicate",
    async () => {
      const opened = await open()
      const { db, time, startReplica, row, allText } = opened
      const found = [
        { ...listing('1', 'gone_seller'), title: 'Camera of Gustav G.' },
        { ...listing('2', 'bob'), title: 'Camera of B' },
        { ...listing('3', 'cleo'), title: 'Camera of C' },
      ]
      const rows = await storeListings(db, { id: 's', userId: 'anna' }, found, time.now)
      await upsertSellers(
        db,
        ['gone_seller', 'bob', 'cleo'].map((id) => seller(id)),
        time.now,
      )
      const hash = 'ffff0000ffff0000'
      for (const stored of rows)
        await recordPhotoHash(db, { listing: stored, photoUrl: 'https://site.test/1.jpg', hash, now: time.now })
      const dependencies = { db, config: readConfig(listingsConfig, {}), now: () => time.now }
      const context = { batch: { priceVariation: {}, duplicatePhotos: [] }, comp: undefined, compQuery: 'camera' }
      await scoreRows(
        dependencies,
        rows,
        await sellersForUser(dependencies, 'anna', ['gone_seller', 'bob', 'cleo']),
        context,
      )
      expect(await allText()).toContain('gustav g.')
      await insertDeletion(db, { id: 'n1', identifiers: ['gone_seller'] }, time.now)
      startReplica()
      await expect.poll(async () => (await row()).passes).toBe(1)
      expect(await allText()).not.toContain('gustav g.')
      // The two that are left are duplicates of each other.
      expect(await allText()).toMatch(/camera of b.{0,10} \(2\) of another seller shows the same photo/)
      expect(JSON.parse((await row()).erased_json)).toMatchObject({ photo_matches: 2, listings: 1 })
    },
  )

  test.skipIf(isMissing)('what is computed about a listing that was deleted meanwhile is not stored', async () => {
    const { db, time } = await open()
    const [stored] = await storeListings(db, { id: 's', userId: 'anna' }, [listing('1', 'gone_seller')], time.now)
    if (stored === undefined) throw new Error('Not stored.')
    await db.deleteFrom('listings').execute()
    const context = { priceVariation: null, hasDuplicatePhoto: false, compQuery: 'camera' }
    const score = { compositeScore: 50, scoredAt: time.now.toISOString(), evidence: [] }
    expect(await saveScores(db, [{ listingId: stored.id, score: score as never, context }])).toEqual([])
    const photo = { listing: stored, photoUrl: 'https://site.test/1.jpg', hash: 'ffff0000ffff0000', now: time.now }
    expect(await recordPhotoHash(db, photo)).toEqual([])
    expect(await db.selectFrom('photo_hashes').selectAll().execute()).toEqual([])
  })

  test.skipIf(isMissing)('every table that can name a seller is deleted from', async () => {
    const { db } = await open()
    const tables = await db.introspection.getTables()
    const naming = tables.filter(({ columns }) =>
      columns.some(({ name }) => /seller_|_seller|username|listing_id/.test(name)),
    )
    // A new table here needs an erasure in erasures.ts, or a line in found/listing-tables.ts, and a trace in this test.
    expect(naming.map(({ name }) => name).toSorted()).toEqual([
      'alerted_listings',
      'alerts',
      'blocklist',
      'community_signals',
      'listing_prices',
      'listing_sightings',
      'listings',
      'photo_hashes',
      'published_signals',
      'reported_sellers',
      'sellers',
      'trust_scores',
    ])
  })

  test.skipIf(isMissing)(
    'an account is also found by its immutable id, and by names that the records of sellers add',
    async () => {
      const opened = await open()
      const { db, time, startReplica, row, allText } = opened
      await upsertSellers(db, [seller('immutable-1', 'shown_name')], time.now)
      await storeListings(
        db,
        { id: 's', userId: 'anna' },
        [listing('1', 'immutable-1'), listing('2', 'SHOWN_name')],
        time.now,
      )
      await insertDeletion(db, { id: 'n1', identifiers: ['immutable-1'] }, time.now)
      startReplica()
      await expect.poll(async () => (await row()).passes).toBe(1)
      expect(await db.selectFrom('listings').select('id').execute()).toEqual([])
      // The second pass needs the names, too.
      expect(JSON.parse((await row()).identifiers_json ?? '')).toEqual(['immutable-1', 'shown_name'])
      opened.pass(hour)
      await expect.poll(async () => (await row()).completed_at).not.toBeNull()
      expect(await allText()).not.toMatch(/immutable-1|shown_name/)
    },
  )

  test.skipIf(isMissing)('what a search under way stores afterwards is deleted an hour later', async () => {
    const opened = await open()
    await insertDeletion(opened.db, { id: 'n1', identifiers: ['late_seller'] }, opened.time.now)
    opened.startReplica()
    await expect.poll(async () => (await opened.row()).passes).toBe(1)
    await leaveTraces(opened, 'late_seller', '1')
    opened.pass(hour)
    await expect.poll(async () => (await opened.row()).completed_at).not.toBeNull()
    expect(await opened.allText()).not.toContain('late_seller')
  })

  test.skipIf(isMissing)('a failing store is retried, and the others are not delayed by it', async () => {
    const opened = await open()
    const { db, startReplica, row, pass, logged } = opened
    await leaveTraces(opened, 'gone_seller', '1')
    let isFailing = true
    const failing: Erasure = {
      name: 'elsewhere',
      erase: async () => {
        if (isFailing) throw new Error('away')
        return 3
      },
    }
    await insertDeletion(db, { id: 'n1', identifiers: ['gone_seller'] }, opened.time.now)
    startReplica([failing, ...allErasures])
    await expect.poll(() => logged).toEqual(['account deletion: incomplete; it is retried'])
    expect(await db.selectFrom('listings').select('id').execute()).toEqual([])
    await expect.poll(async () => (await row()).claimed_until).toBe(0)
    expect(await row()).toMatchObject({ passes: 0, next_attempt_at: opened.time.now.getTime() + 30_000 })
    isFailing = false
    pass(30_000)
    await expect.poll(async () => (await row()).passes).toBe(1)
    expect(JSON.parse((await row()).erased_json)).toMatchObject({ elsewhere: 3, listings: 2 })
  })

  test.skipIf(isMissing)(
    'two replicas do not work on a notification at the same time; one continues after the other died',
    async () => {
      const opened = await open()
      const { db, startReplica, row, pass } = opened
      let calls = 0
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const dying: Erasure = {
        name: 'held',
        erase: async () => {
          calls += 1
          if (calls === 1) await held
          return 1
        },
      }
      await insertDeletion(db, { id: 'n1', identifiers: ['gone_seller'] }, opened.time.now)
      startReplica([dying])
      await expect.poll(() => calls).toBe(1)
      const other = startReplica([dying])
      other.wake()
      await insertDeletion(db, { id: 'n2', identifiers: ['another'] }, opened.time.now)
      const passes = async (id: string) =>
        (
          await db
            .selectFrom('account_deletions')
            .select('passes')
            .where('notification_id', '=', id)
            .executeTakeFirstOrThrow()
        ).passes
      // The other replica has looked: it has done the second notification, not the first.
      await expect.poll(() => passes('n2')).toBe(1)
      expect([calls, await passes('n1')]).toEqual([2, 0])
      pass(10 * 60_000 + 1)
      await expect.poll(() => passes('n1')).toBe(1)
      const after = await row()
      // What the first one concludes late changes nothing.
      release()
      await expect.poll(() => calls).toBe(3)
      expect(await row()).toEqual(after)
    },
  )

  test.skipIf(isMissing)('a notification that was completed is not repeated when it is sent again', async () => {
    const { db, time, startReplica, row, pass } = await open()
    await insertDeletion(db, { id: 'n1', identifiers: ['gone_seller'] }, time.now)
    startReplica()
    await expect.poll(async () => (await row()).passes).toBe(1)
    pass(hour)
    await expect.poll(async () => (await row()).completed_at).not.toBeNull()
    expect(await insertDeletion(db, { id: 'n1', identifiers: ['gone_seller'] }, time.now)).toBe(false)
    expect(await row()).toMatchObject({ identifiers_json: null, next_attempt_at: null })
  })

  const erased = allErasures.find(({ name }) => name === 'corrections')

  test.skipIf(isMissing).each([
    ['its item is the seller', { item_id: 'Gone-Seller' }, true],
    ['its item is the seller with the platform', { item_id: 'marketplace::gone-seller' }, true],
    ['its item is a listing of the seller', { item_id: '77' }, true],
    ['its context has the seller as a value', { context_json: '{"a":[{"seller":"GONE-SELLER"}]}' }, true],
    ['a sentence names the seller', { original_output: 'I trust gone-seller, always' }, true],
    ['a sentence has a longer name', { input_text: 'by gone-seller2 and not-gone-seller' }, false],
    ['a name of letters alone stands in a sentence', { input_text: 'a vintage camera' }, false],
    ['a name of letters alone is a value', { context_json: '{"seller":"vintage"}' }, true],
    ['a wildcard of the database would match', { input_text: 'goneXseller' }, false],
    ['it names no one', {}, false],
  ])('whether a correction is deleted if %s', async (_what, change, isDeleted) => {
    const { db, time } = await open()
    await storeListings(db, { id: 's', userId: 'anna' }, [listing('77', 'gone-seller')], time.now)
    const id = await correct({ db }, change)
    const person = { platform: 'marketplace', identifiers: ['gone-seller', 'vintage', 'gone_seller'] }
    await erased?.erase({ db, config: readConfig(listingsConfig, {}), log: silentLog, now: () => time.now }, person)
    const left = await db.selectFrom('corrections').select('id').execute()
    expect(left).toEqual(isDeleted ? [] : [{ id }])
  })
})
