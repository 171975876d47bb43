import { openStore, type StoreLocation } from '@trellis/kit/store'
import type { RunRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { databases } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenService, openService } from '../../test/open-service.ts'
import { openSite } from '../../test/scripted-site.ts'
import { follow, local, request } from '../../test/searches.ts'
import { saveComp } from '../comps/store.ts'
import { listingsConfig } from '../config.ts'
import { type ListingsTables, migrations } from '../schemas.ts'
import { claimLookups, releaseLookups } from '../sellers/lookups.ts'
import { findSellers, recordFacts, recordHistory, upsertSellers } from '../sellers/store.ts'

const caller = { caller: local }

const card = (id: string, seller: string) =>
  `<li class="s-card" data-listingid="${id}"><a class="s-card__link" href="/itm/${id}"><div class="s-card__title"><span>Camera ${id}</span></div></a><span class="s-card__price">$100.00</span><div class="su-card-container__attributes__secondary"><div class="s-card__attribute-row"><span>${seller} 99.5% positive (1.2K)</span></div></div></li>`
const product = JSON.stringify({ '@context': 'https://schema.org', '@type': 'Product', name: 'Camera' })
const itemPage = (seller: string, joined: string) =>
  `<script type="application/ld+json">${product}</script><main><div class="x-sellercard-atf"><div class="x-sellercard-atf__info__about-seller"><a href="/sch/${seller}/m.html">${seller}</a></div></div><div class="x-store-information__info"><span class="ux-icon-text__text">Joined ${joined}</span></div></main>`

const unknownSeller = {
  platform: listingsConfig.platform.fallback,
  accountOpened: null,
  feedbackCount: null,
  feedbackRatio: null,
  categoryHistory: null,
}

/** A seller in the results of a query, their listing, and what its page shows. */
type Offer = { readonly seller: string; readonly id: string; readonly shown: string; readonly joined: string }

/** A site that serves the offers of each query. */
const openMarketplace = (offers: ReadonlyMap<string, readonly Offer[]>) => {
  const answer = (path: string) => {
    const { pathname, searchParams } = new URL(path, 'http://site.test')
    const item = [...offers.values()].flat().find(({ id }) => pathname === `/itm/${id}`)
    if (item !== undefined) return { body: itemPage(item.shown, item.joined) }
    const found = searchParams.has('LH_Sold') ? undefined : offers.get(searchParams.get('_nkw') ?? '')
    if (found === undefined) return { status: 404 }
    const cards = found.map(({ id, seller }) => card(id, seller)).join('')
    return {
      body: `<h1 class="srp-controls__count-heading">${found.length} results</h1><ul class="srp-results">${cards}</ul>`,
    }
  }
  return openSite(new Proxy({}, { get: (_, path: string) => answer(path) }))
}

describe.each(drawnBackend(databases, 'listings/enrich/enrich'))('enrichment on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('facts about a seller', () => {
    const stack = new AsyncDisposableStack()
    const offers = new Map<string, readonly Offer[]>()
    let service: OpenService
    let store: StoreLocation
    const runs: RunRequest[] = []

    beforeAll(async () => {
      const database = stack.use(await start())
      store = stack.use(await database.place({ name: 'listings', migrations })).location
      const site = stack.use(await openMarketplace(offers))
      service = await openService(
        store,
        { MARKETPLACE_BASE_URL: site.url, MARKETPLACE_REQUEST_GAP_MS: '0' },
        { onRun: (run) => runs.push(run) },
      )
      stack.defer(() => service.close())
    })
    afterAll(() => stack.disposeAsync())

    /** A unique query, with the offers of sellers that no other test uses. */
    const offer = (...made: readonly Partial<Offer>[]) => {
      const query = `camera${offers.size}`
      const all = made.map((change, index) => {
        const seller = `seller-${offers.size}-${index}`
        return {
          seller,
          id: `${130000000000 + offers.size * 10 + index}`,
          shown: seller,
          joined: 'Mar 2015',
          ...change,
        }
      })
      offers.set(query, all)
      /** Searches, and waits until the lookups that follow the search have ended. */
      const search = async () => {
        const { sessionId } = await service.client.searchAsync(request({ q: query }), caller)
        return follow(service.client, sessionId)
      }
      return { all, search, query }
    }

    const sellerOf = async ({ id }: Offer) =>
      (await service.client.getListing({ platformListingId: id }, caller)).seller

    /** Stores what an earlier version did: a join date without a source listing. */
    const storeUnchecked = async ({ seller }: Offer) => {
      await using opened = await openStore<ListingsTables>({ ...store, name: 'listings', migrations })
      await opened.db
        .updateTable('sellers')
        .set({ account_opened_on: '1999-01-01', account_opened_until: null, account_listing_id: null })
        .where('platform_seller_id', '=', seller)
        .execute()
    }

    test("facts on another seller's listing are not stored", async () => {
      const { all, search } = offer({ joined: 'never' }, { joined: 'Jan 2001' })
      const [ada, bob] = all as [Offer, Offer]
      await search()
      const requested = { seller: ada.seller, listingId: bob.id, query: '' }
      await expect(service.client.enrich(requested, caller)).rejects.toMatchObject({
        status: 422,
        message: expect.stringContaining(`The listing "${bob.id}" belongs to the seller "${bob.seller}"`),
      })
      expect(await sellerOf(ada)).toMatchObject({ platformSellerId: ada.seller, accountAgeDays: undefined })
    })

    test('facts on a page that names another seller than the results are not stored, and enrich returns 409', async () => {
      const { all, search } = offer({ shown: 'mallory', joined: 'Jan 2001' })
      const [ada] = all as [Offer]
      expect((await search()).at(-1)).toMatchObject({ $case: 'done', value: { reason: undefined } })
      expect(await sellerOf(ada)).toMatchObject({ platformSellerId: ada.seller, accountAgeDays: undefined })
      const requested = { seller: ada.seller, listingId: ada.id, query: '' }
      await expect(service.client.enrich(requested, caller)).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining('"mallory"'),
      })
      expect(await sellerOf(ada)).toMatchObject({ accountAgeDays: undefined })
    })

    test('a seller whom another search is looking up is not looked up again, and its answer is used', async () => {
      const { all, query } = offer({})
      const [ada] = all as [Offer]
      await using opened = await openStore<ListingsTables>({ ...store, name: 'listings', migrations })
      const { db } = opened
      const platform = listingsConfig.platform.fallback
      const at = new Date()
      await upsertSellers(db, [{ ...unknownSeller, platformSellerId: ada.seller, username: ada.seller }], at)
      await claimLookups(db, platform, [ada.seller], {
        searchId: 'another',
        now: at,
        until: new Date(at.getTime() + 100_000),
      })
      const before = runs.length
      const { sessionId } = await service.client.searchAsync(request({ q: query }), caller)
      const followed = follow(service.client, sessionId)
      await expect.poll(() => sellerOf(ada).catch(() => undefined)).toMatchObject({ accountAgeDays: undefined })
      const row = (await findSellers(db, platform, [ada.seller])).get(ada.seller)
      if (row === undefined) throw new Error('The seller is not stored.')
      const facts = {
        sellerNames: [ada.seller],
        accountOpened: { earliest: '2015-03-01', latest: '2015-03-31' },
        feedbackCount: 1200,
        feedbackRatio: 0.99,
      }
      await recordFacts(db, row, facts, { listingId: ada.id, now: new Date() })
      await recordHistory(db, row, { ELECTRONICS: 3 }, new Date())
      await releaseLookups(db, platform, [ada.seller], { searchId: 'another', now: new Date() })
      const shown = (await followed).flatMap((frame) =>
        frame.$case === 'update'
          ? [frame.value.seller]
          : frame.$case === 'listings'
            ? Object.values(frame.value.sellers)
            : [],
      )
      expect(shown.at(-1)).toMatchObject({ accountAgeDays: expect.any(Number) })
      expect(runs.slice(before).map(({ runId }) => runId)).toEqual([sessionId])
    })

    test('a seller whom a search claimed with a clock that was an hour ahead is looked up at once', async () => {
      const { all, query } = offer({})
      const [ada] = all as [Offer]
      await using opened = await openStore<ListingsTables>({ ...store, name: 'listings', migrations })
      const { db } = opened
      const at = new Date()
      await upsertSellers(db, [{ ...unknownSeller, platformSellerId: ada.seller, username: ada.seller }], at)
      await claimLookups(db, listingsConfig.platform.fallback, [ada.seller], {
        searchId: 'another',
        now: at,
        until: new Date(at.getTime() + 3_660_000),
      })
      const before = runs.length
      const { sessionId } = await service.client.searchAsync(request({ q: query }), caller)
      const frames = await follow(service.client, sessionId)
      expect(frames.at(-1)).toEqual({ $case: 'done', value: {} })
      expect(runs.slice(before).map(({ runId }) => runId)).toEqual([sessionId, `${sessionId}-sellers`])
    })

    test('a join date that was stored without a check is replaced', async () => {
      const { all, search } = offer({})
      const [ada] = all as [Offer]
      await search()
      const checked = (await sellerOf(ada))?.accountAgeDays ?? 0
      await storeUnchecked(ada)
      expect((await sellerOf(ada))?.accountAgeDays).toBeGreaterThan(checked + 5_000)
      await search()
      expect((await sellerOf(ada))?.accountAgeDays).toBe(checked)
    })

    test('a new score reuses the price signal of its search after the market price has expired', async () => {
      const { all, search, query } = offer({})
      const [ada] = all as [Offer]
      const comp = { medianPrice: 110, quartiles: [100, 120] as const, currency: 'USD', sampleCount: 20 }
      await using opened = await openStore<ListingsTables>({ ...store, name: 'listings', migrations })
      await saveComp(opened.db, listingsConfig.platform.fallback, query, comp, new Date())
      await search()
      const priceSignal = async () =>
        (await service.client.getListing({ platformListingId: ada.id }, caller)).trustScore?.signalScores?.priceVsMarket
      const before = await priceSignal()
      expect(before).toEqual(expect.any(Number))
      await opened.db
        .updateTable('comps')
        .set({ expires_at: new Date(0).toISOString() })
        .execute()
      for (const requested of ['', 'another query', '']) {
        const { trustScore } = await service.client.enrich(
          { seller: ada.seller, listingId: ada.id, query: requested },
          caller,
        )
        expect(trustScore?.signalScores?.priceVsMarket).toBe(before)
        expect(await priceSignal()).toBe(before)
      }
    })

    test('a new score compares the price with that of the query, or of the title without one', async () => {
      const { all, search, query } = offer({})
      const [ada] = all as [Offer]
      await using opened = await openStore<ListingsTables>({ ...store, name: 'listings', migrations })
      const save = (of: string, median: number) =>
        saveComp(
          opened.db,
          listingsConfig.platform.fallback,
          of,
          { medianPrice: median, quartiles: [median, median], currency: 'USD', sampleCount: 20 },
          new Date(),
        )
      // The listing costs 100: the signal is 20 near the median, 15 above it, and 0 below half of it.
      await save(query, 100)
      await save(`Camera ${ada.id}`, 50)
      await save('rare camera', 1_000)
      await search()
      const signal = async (requested: string) => {
        const call = { seller: ada.seller, listingId: ada.id, query: requested }
        return (await service.client.enrich(call, caller)).trustScore?.signalScores?.priceVsMarket
      }
      expect([await signal(query), await signal(''), await signal('rare camera')]).toEqual([20, 15, 0])
    })

    test('a lookup that a caller waits for has 60 s', async () => {
      const { all, search } = offer({})
      const [ada] = all as [Offer]
      await search()
      await storeUnchecked(ada)
      const before = runs.length
      await service.client.enrich({ seller: ada.seller, listingId: ada.id, query: '' }, caller)
      expect(runs.slice(before)).toMatchObject([{ activeDeadlineSeconds: 60 }])
    })

    test('a join date that was stored without a check is deleted when a check finds none', async () => {
      const { all, search } = offer({ joined: 'never' })
      const [ada] = all as [Offer]
      await search()
      await storeUnchecked(ada)
      const { seller } = await service.client.enrich({ seller: ada.seller, listingId: ada.id, query: '' }, caller)
      expect(seller).toMatchObject({ platformSellerId: ada.seller, accountAgeDays: undefined })
    })
  })
})
