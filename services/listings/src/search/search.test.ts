import { anonymous, type Caller } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import { databases } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHeldSite } from '../../test/held-site.ts'
import { type OpenService, openService } from '../../test/open-service.ts'
import { request } from '../../test/searches.ts'
import { migrations } from '../schemas.ts'
import { createSession, sessionLifetime } from '../session/store.ts'
import type { Tables } from '../store/tables.ts'

const visitor = { caller: anonymous }
const guest = (id: string) => ({ caller: { userId: `guest:${id}`, kind: 'guest', tier: 'free' } satisfies Caller })

describe.each(drawnBackend(databases, 'searches'))('searches on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('of one user', () => {
    const stack = new AsyncDisposableStack()
    let service: OpenService
    let release: () => void
    let database: Awaited<ReturnType<typeof start>>

    /** Opens the service on a new database; the site delays its responses of the `held` kind. */
    const open = async (held: 'search' | undefined, environment: Record<string, string> = {}) => {
      const store = stack.use(await database.place({ name: 'listings', migrations })).location
      const site = await openHeldSite(held)
      stack.defer(() => site.close())
      release = site.release
      service = await openService(store, { ...site.environment, ...environment })
      stack.defer(() => service.close())
    }

    beforeAll(async () => {
      database = stack.use(await start())
    })
    afterAll(() => stack.disposeAsync())

    const countListings = async () => {
      await using opened = await openStore<Tables>({ ...service.store, name: 'listings', migrations })
      return (await opened.db.selectFrom('listings').select('user_id').execute()).length
    }

    test('without a session have results that are not shared with other visitors and that expire', async () => {
      await open(undefined)
      const { client, store } = service
      const first = await client.search(request(), visitor)
      const second = await client.search(request(), visitor)
      expect(first.listings).toHaveLength(3)
      expect(second.listings.map(({ timesSeen }) => timesSeen)).toEqual([1, 1, 1])
      const [{ platformListingId = '', sellerPlatformId = '' } = {}] = first.listings
      await expect(client.getListing({ platformListingId }, visitor)).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining('/listings/api/session'),
      })
      await expect(
        client.enrich({ seller: sellerPlatformId, listingId: platformListingId, query: '' }, visitor),
      ).rejects.toMatchObject({ status: 403, message: expect.stringContaining('/listings/api/session') })
      // The lookups after a search store scores, too.
      for (const sessionId of [first.sessionId ?? '', second.sessionId ?? ''])
        await Array.fromAsync(client.watchUpdates({ sessionId, lastEventId: null }, visitor))
      expect(await countListings()).toBe(6)
      await using opened = await openStore<Tables>({ ...store, name: 'listings', migrations })
      const later = new Date(Date.now() + 2 * sessionLifetime)
      const next = { id: 'next', userId: 'local', deadlineAt: later, jobJson: null }
      await createSession(opened.db, next, later)
      expect(await countListings()).toBe(0)
      expect(await opened.db.selectFrom('trust_scores').select('id').execute()).toEqual([])
      expect(await opened.db.selectFrom('listing_sightings').select('id').execute()).toEqual([])
    })

    test('have 90 s if a call waits for the answer, and 150 s if their updates are followed', async () => {
      await open('search')
      const { client, store } = service
      const [ada, bob] = [guest('ada'), guest('bob')]
      await client.searchAsync(request(), ada)
      const answered = client.search(request(), bob)
      await using opened = await openStore<Tables>({ ...store, name: 'listings', migrations })
      const seconds = async ({ caller: { userId } }: typeof ada) => {
        const row = await opened.db
          .selectFrom('search_sessions')
          .select(['created_at', 'deadline_at'])
          .where('user_id', '=', userId)
          .executeTakeFirst()
        return row && Math.round((Date.parse(row.deadline_at) - Date.parse(row.created_at)) / 1000)
      }
      await expect.poll(() => seconds(bob)).toBe(90)
      expect(await seconds(ada)).toBe(150)
      release()
      expect((await answered).listings).toHaveLength(3)
    })

    test('are refused beyond the limit, even if started concurrently, until one has ended', async () => {
      await open('search', { LISTINGS_USER_SEARCHES: '3' })
      const { client } = service
      const begin = (who: ReturnType<typeof guest>) => client.searchAsync(request(), who)
      const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => begin(guest('ada'))))
      const accepted = outcomes.filter((outcome) => outcome.status === 'fulfilled')
      expect(accepted).toHaveLength(3)
      expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toMatchObject({
        status: 429,
        retryAfterSeconds: 10,
        message: expect.stringContaining('3 searches under way'),
      })
      await expect(client.search(request(), guest('ada'))).rejects.toMatchObject({ status: 429 })
      expect(await begin(guest('bob'))).toMatchObject({ status: 'queued' })
      const sessionId = accepted[0]?.value.sessionId ?? ''
      const frames = Array.fromAsync(client.watchUpdates({ sessionId, lastEventId: null }, guest('ada')))
      await client.cancelSearch({ sessionId }, guest('ada'))
      await frames
      await expect
        .poll(() =>
          begin(guest('ada')).then(
            ({ status }) => status,
            () => 'refused',
          ),
        )
        .toBe('queued')
      release()
    })

    test('of guests and visitors at an address share a limit, however many guests a client makes up', async () => {
      await open('search', { LISTINGS_USER_SEARCHES: '3' })
      const { client } = service
      const at = (address: string, who: { caller: Caller }) =>
        client.searchAsync(request(), { ...who, client: address })
      for (const name of ['one', 'two']) await at('192.0.2.7', guest(name))
      await at('192.0.2.7', visitor)
      for (const who of [guest('three'), visitor])
        await expect(at('192.0.2.7', who)).rejects.toMatchObject({
          status: 429,
          message: expect.stringContaining('Guests and visitors at your address have 3 searches under way'),
        })
      await expect(client.search(request(), { ...guest('four'), client: '192.0.2.7' })).rejects.toMatchObject({
        status: 429,
      })
      const account = { caller: { userId: 'ada', kind: 'account', tier: 'free' } satisfies Caller }
      for (const who of [account, account, account])
        expect(await at('192.0.2.7', who)).toMatchObject({ status: 'queued' })
      await expect(at('192.0.2.8', account)).rejects.toMatchObject({ message: expect.stringContaining('You have 3') })
      expect(await at('192.0.2.8', guest('one'))).toMatchObject({ status: 'queued' })
      release()
    })
  })
})
