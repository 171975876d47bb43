import { startHttpServer } from '@trellis/test/support/http-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseNotification } from '../../account-deletion/notification.ts'
import { isSignedBy, parseSignature, readPublicKey } from '../../account-deletion/signature.ts'
import { accountAge } from '../../account-opening.ts'
import { summariseSales } from '../../comps/comps.ts'
import { createRelevance } from '../../comps/relevance.ts'
import { parseQuery } from '../../query-notation.ts'
import { createApiCall } from '../api/call.ts'
import { readCategories } from '../api/taxonomy.ts'
import { createTokenSource } from '../api/token.ts'
import { readItemPage } from '../item-page.ts'
import { salesAmong } from '../sales.ts'
import { readSearchPage, type SearchPage } from '../search-page.ts'
import { readSellerPage } from '../seller-page.ts'
import { families } from './catalogue.ts'
import { changeEvery, inventoryAt } from './changes.ts'
import { createInventory, type Inventory } from './inventory.ts'
import { type DemoMarketplace, startDemoMarketplace } from './server.ts'

const now = new Date('2026-06-15T12:00:00Z')
let demo: DemoMarketplace
beforeAll(async () => {
  demo = await startDemoMarketplace({ clock: () => now })
})
afterAll(() => demo.close())

const get = async (path: string): Promise<string> => (await fetch(demo.url + path)).text()

const results = async (path: string): Promise<Extract<SearchPage, { kind: 'results' }>> => {
  const page = readSearchPage(await get(path), { pageUrl: demo.url + path, observedAt: now, defaultCurrency: 'USD' })
  if (page.kind !== 'results') throw new Error(page.reason)
  return page
}

describe.each(['s-card', 's-item'] as const)('a page in the %s layout', (layout) => {
  test('is read completely, without the placeholders and the carousel', async () => {
    const page = await results(`/sch/i.html?_nkw=camera&_layout=${layout}`)
    expect(page.layout).toBe(layout)
    expect(page.cards).toHaveLength(60)
    expect(page.completeness).toMatchObject({ id: 1, title: 1, price: 1, seller: 1 })
    expect(new Set(page.cards.map(({ id }) => id)).size).toBe(60)
    expect(
      page.cards.every(
        ({ url, photos, condition, price }) =>
          url?.startsWith(demo.url) && photos.length === 1 && condition && price?.currency === 'USD',
      ),
    ).toBe(true)
    expect(page.cards.every(({ title }) => !/window|Shop on/.test(title ?? ''))).toBe(true)
  })

  test('has auctions with bids and an end, price ranges and offers', async () => {
    const { cards } = await results(`/sch/i.html?_nkw=laptop&_ipg=240&_layout=${layout}`)
    const auctions = cards.filter(({ format }) => format === 'auction')
    expect(auctions.length).toBeGreaterThan(20)
    expect(
      auctions.every(({ bids, endsAt }) => bids !== null && endsAt !== null && Date.parse(endsAt) > now.getTime()),
    ).toBe(true)
    expect(cards.filter(({ price }) => price?.high).length).toBeGreaterThan(3)
    expect(cards.filter(({ format }) => format === 'best_offer').length).toBeGreaterThan(10)
    expect(cards.every(({ price }) => price?.isStruck === false)).toBe(true)
  })

  test('distinguishes sold, ended and accepted offers', async () => {
    const { cards } = await results(
      `/sch/i.html?_nkw=thinkpad&LH_Sold=1&LH_Complete=1&_sop=13&_ipg=240&_layout=${layout}`,
    )
    expect(cards.every(({ outcome }) => outcome?.on)).toBe(true)
    expect(cards.filter(({ outcome }) => outcome?.kind === 'ended').length).toBeGreaterThan(0)
    const offers = cards.filter(({ offerAccepted }) => offerAccepted)
    expect(offers.length).toBeGreaterThan(0)
    expect(offers.every(({ price }) => price?.isStruck)).toBe(true)
    const sales = salesAmong(cards)
    expect(sales.length).toBeLessThan(cards.length)
    expect(summariseSales(sales, 'thinkpad', now).medianPrice).toBeGreaterThan(200)
  })

  test('separates results that match fewer words from those that match all', async () => {
    const page = await results(`/sch/i.html?_nkw=thinkpad+left+handed&_layout=${layout}`)
    expect(page).toMatchObject({ cards: [], total: 0 })
    expect(page.fewerWords.length).toBeGreaterThan(5)
  })
})

test.each(['s-card', 's-item'])('a page in the %s layout reads the same without any of its classes', async (layout) => {
  const html = await get(`/sch/i.html?_nkw=phone&_layout=${layout}`)
  const context = { pageUrl: demo.url, observedAt: now, defaultCurrency: 'USD' }
  const bare = html.replace(/ class="(?!clipped|[^"]*STRIKE|[^"]*strikethrough)[^"]*"/g, '')
  const [known, read] = [html, bare].map((markup) => {
    const page = readSearchPage(markup, context)
    return page.kind === 'results' ? page.cards : page
  })
  expect(known).toHaveLength(60)
  expect(read).toEqual(known)
})

test('even pages have the older layout, and pages do not repeat items', async () => {
  const [first, second] = await Promise.all([
    results('/sch/i.html?_nkw=phone'),
    results('/sch/i.html?_nkw=phone&_pgn=2'),
  ])
  expect([first.layout, second.layout]).toEqual(['s-card', 's-item'])
  const ids = [...first.cards, ...second.cards].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('prices, categories, exclusions and alternatives restrict a search', async () => {
  const { cards } = await results(
    '/sch/i.html?_nkw=%28iphone%2Cpixel%29+-pro+-%22dual+sim%22&_udlo=100&_udhi=400&_sacat=9355&_ipg=240',
  )
  expect(cards.length).toBeGreaterThan(5)
  expect(
    cards.every(
      ({ title, price }) =>
        /iphone|pixel/i.test(title ?? '') &&
        !/pro|dual sim/i.test(title ?? '') &&
        (price?.amount ?? 0) >= 100 &&
        (price?.amount ?? 999) <= 400,
    ),
  ).toBe(true)
  expect((await results('/sch/i.html?_nkw=iphone&_sacat=27386')).total).toBe(0)
})

test('titles with the word come before titles in which it is part of another', async () => {
  const titles: string[] = []
  for (let page = 1; titles.length === 60 * (page - 1); page++)
    titles.push(...(await results(`/sch/i.html?_nkw=iphone&_pgn=${page}`)).cards.map(({ title }) => title ?? ''))
  const guitars = titles.findIndex((title) => /epiphone/i.test(title))
  expect(guitars).toBeGreaterThan(0)
  expect(titles.slice(0, guitars).every((title) => /\biphone/i.test(title))).toBe(true)
  expect(titles.slice(guitars).some((title) => /\biphone/i.test(title))).toBe(false)
})

test('a search that finds nothing is empty, not refused', async () => {
  expect(await results('/sch/i.html?_nkw=zeppelin')).toMatchObject({ cards: [], fewerWords: [], total: 0 })
})

test('an item page shows price, categories and when its seller joined', async () => {
  const { cards } = await results('/sch/i.html?_nkw=playstation')
  const [first] = cards
  const path = new URL(first?.url ?? '').pathname
  const item = readItemPage(await get(path), { pageUrl: demo.url + path, observedAt: now, defaultCurrency: 'USD' })
  expect(item).toMatchObject({
    kind: 'item',
    id: first?.id,
    title: first?.title,
    price: { amount: first?.price?.amount, currency: 'USD' },
    categories: ['Video Games & Consoles', 'Video Game Consoles'],
  })
  if (item.kind !== 'item') return
  expect(item.seller?.name).toBe(first?.seller?.name)
  expect(item.sellerNames).toContain(first?.seller?.name)
  expect(item.joined && accountAge(item.joined, now).atMost).toBeGreaterThan(0)
})

test("a seller's page counts items by category", async () => {
  const { cards } = await results('/sch/i.html?_nkw=laptop')
  const page = readSellerPage(await get(`/sch/i.html?_ssn=${cards[0]?.seller?.name}`))
  expect(page).toMatchObject({ kind: 'seller', history: { COMPUTERS_TABLETS: expect.any(Number) } })
})

test('the inventory is determined by its seed', () => {
  const titles = (seed: number) =>
    createInventory({ seed, now, active: 50, over: 10 }).active.map(({ title, price }) => `${title} ${price}`)
  expect(titles(1)).toEqual(titles(1))
  expect(titles(1)).not.toEqual(titles(2))
})

describe('the marketplace changes with time', () => {
  const base = createInventory({ seed: 1, now })
  const later = (quarters: number) => new Date(now.getTime() + quarters * changeEvery)
  const at = (quarters: number) => inventoryAt(base, later(quarters))
  const idsOf = ({ active }: Inventory) => new Set(active.map(({ id }) => id))

  test('every quarter of an hour a new item of each model is listed, newest first, for an hour', () => {
    const [before, after, end] = [at(0), at(1), at(5)]
    const known = idsOf(before)
    const listed = after.active.filter(({ id }) => !known.has(id))
    const models = families.flatMap((family) => family.models.map(([name]) => name))
    expect(listed.map(({ title }) => models.find((name) => title.startsWith(name))).toSorted()).toEqual(
      models.toSorted(),
    )
    expect(after.active.slice(0, listed.length)).toEqual(listed)
    expect(listed.every(({ listedAt }) => listedAt?.getTime() === later(1).getTime())).toBe(true)
    expect(listed.filter(({ id }) => idsOf(end).has(id))).toEqual([])
  })

  test('some items are listed again when they end, under another id and a little cheaper', () => {
    const again = Array.from({ length: 8 }, (_, quarter) => {
      const ended = at(quarter).active
      return at(quarter + 4).active.flatMap(({ id, title, seller, photo, price }) => {
        // Retailers show one photo of a model for all their items.
        const isOwnPhoto = /^pn/.test(photo)
        const before = ended.find((one) => one.id !== id && one.photo === photo && one.title === title)
        return isOwnPhoto && before?.seller === seller ? [price / before.price] : []
      })
    }).flat()
    expect(again.length).toBeGreaterThan(4)
    expect(Math.max(...again)).toBeLessThan(1)
    expect(Math.min(...again)).toBeGreaterThan(0.9)
  })

  test('every model has offers of something else, which are in no median', () => {
    const { active, over } = at(0)
    for (const [name, price] of families.flatMap((family) => family.models)) {
      const misleading = active.filter(({ id, title }) => /^15/.test(id) && title.includes(name))
      expect(misleading.length).toBeGreaterThan(0)
      const sold = over.filter(({ outcome, title }) => outcome?.kind === 'sold' && title.includes(name))
      const sales = sold.map((item) => ({ ...item, currency: 'USD', soldOn: null, condition: item.condition }))
      const { medianPrice } = summariseSales(sales, name.toLowerCase(), now)
      expect(medianPrice ?? 0).toBeGreaterThan(0.6 * price)
      const relevance = createRelevance(name.toLowerCase())
      for (const { title } of [...misleading, ...sold.filter(({ id }) => /^25/.test(id))]) {
        const judged = relevance.judge(title, 'pre-owned')
        expect([title, judged.kind === 'unrelated' || judged.apart !== null || judged.doubt !== null]).toEqual([
          title,
          true,
        ])
      }
    }
  })

  test('some fixed prices fall by seven per cent an hour, three times, and then return', () => {
    const item = at(0).active.find(({ id }) => id === '110000000000')
    expect(item?.bids).toBeUndefined()
    const pricesAt = Array.from({ length: 17 }, (_, index) =>
      Math.round(
        100 * ((at(index).active.find(({ id }) => id === item?.id)?.price ?? 0) / (base.active[0]?.price ?? 1)),
      ),
    )
    expect(new Set(pricesAt)).toEqual(new Set([100, 93, 86, 79]))
    expect(pricesAt[16]).toBe(pricesAt[0])
    const changes = pricesAt.slice(1).filter((price, index) => price !== pricesAt[index])
    expect(changes).toHaveLength(4)
    const fallen = at(1).active.filter(
      ({ id, price }) => price < (base.active.find((one) => one.id === id)?.price ?? 0),
    )
    expect(fallen.length).toBeGreaterThan(500)
    expect(fallen.every(({ bids, struckPrice, price }) => bids === undefined && (struckPrice ?? 0) > price)).toBe(true)
  })

  test('the same time has the same items, whatever was requested before, and between two changes nothing changes', () => {
    const titles = (inventory: Inventory) => inventory.active.map(({ id, title, price }) => `${id} ${title} ${price}`)
    expect(titles(inventoryAt(createInventory({ seed: 1, now }), later(3)))).toEqual(titles(at(3)))
    expect(titles(inventoryAt(base, new Date(later(3).getTime() + changeEvery - 1)))).toEqual(titles(at(3)))
    expect(titles(inventoryAt(createInventory({ seed: 2, now }), later(3)))).not.toEqual(titles(at(3)))
  })

  test('a server shows it by its clock, and the page of an item that has ended remains', async () => {
    let time = now
    const server = await startDemoMarketplace({ clock: () => time })
    const searchIds = async () => {
      const path = '/sch/i.html?_nkw=thinkpad'
      const context = { pageUrl: server.url + path, observedAt: time, defaultCurrency: 'USD' }
      const read = readSearchPage(await (await fetch(server.url + path)).text(), context)
      return read.kind === 'results' ? read.cards.map(({ id }) => id) : []
    }
    const before = await searchIds()
    time = later(1)
    const after = await searchIds()
    const listed = after.filter((id) => !before.includes(id))
    expect(listed).toHaveLength(2)
    expect(after.slice(0, 2)).toEqual(listed)
    time = later(9)
    expect((await searchIds()).filter((id) => listed.includes(id))).toEqual([])
    expect((await fetch(`${server.url}/itm/${listed[0]}`)).status).toBe(200)
    time = now
    expect((await fetch(`${server.url}/itm/${listed[0]}`)).status).toBe(404)
    await server.close()
  })
})

test('the inventory has sellers of every kind', () => {
  const { sellers } = createInventory({ seed: 1, now })
  expect(sellers.filter(({ feedbackCount }) => feedbackCount === 0).length).toBeGreaterThan(0)
  expect(
    sellers.filter(({ positivePercent, feedbackCount }) => feedbackCount > 20 && (positivePercent ?? 100) < 80).length,
  ).toBeGreaterThan(0)
  expect(sellers.filter(({ isRetailer }) => isRetailer).length).toBeGreaterThan(0)
})

test('it is at its preferred port again after a restart, and at another one while that is taken', async () => {
  const first = await startDemoMarketplace({ clock: () => now })
  const preferredPort = Number(new URL(first.url).port)
  const beside = await startDemoMarketplace({ clock: () => now, preferredPort })
  expect(beside.url).not.toBe(first.url)
  expect(await (await fetch(`${beside.url}/health`)).text()).toBe('ok\n')
  await Promise.all([first.close(), beside.close()])
  const again = await startDemoMarketplace({ clock: () => now, preferredPort })
  expect(again.url).toBe(first.url)
  await again.close()
})

test('photos are PNG images, the same at every size and from every instance', async () => {
  await using other = await startDemoMarketplace({ clock: () => now }).then((started) => ({
    ...started,
    [Symbol.asyncDispose]: started.close,
  }))
  const fetched = await Promise.all(
    [demo, other].flatMap(({ url }) =>
      [140, 1600].map(async (size) => {
        const response = await fetch(`${url}/images/g/pa1/s-l${size}.png`)
        return [response.headers.get('content-type'), Buffer.from(await response.arrayBuffer()).toString('hex')]
      }),
    ),
  )
  expect(fetched[0]?.[0]).toBe('image/png')
  expect(fetched[0]?.[1]).toMatch(/^89504e47/)
  expect(new Set(fetched.map((each) => JSON.stringify(each))).size).toBe(1)
})

test('some sellers show the photo of another seller, slightly edited', () => {
  const { active } = createInventory({ seed: 1, now })
  const copies = active.filter(({ photo }) => photo.includes('-copy'))
  expect(copies.length).toBeGreaterThan(50)
  for (const { photo, seller } of copies) {
    const original = active.find((item) => item.photo === photo.replace(/-copy\d+$/, ''))
    expect(original?.seller.name).not.toBe(seller.name)
    expect(original).toBeDefined()
  }
})

test('a query consists of words, phrases, alternatives and exclusions', () => {
  expect(parseQuery('gpu (16gb, 24gb) "founders edition" -blower -"for parts"')).toEqual({
    required: [['gpu'], ['16gb', '24gb'], ['founders edition']],
    excluded: ['blower', 'for parts'],
  })
})

test('the API has a photo for each item, and the categories that the items are in', async () => {
  const call = createApiCall({ userAgent: 'Tester/1.0' })
  const adapter = { call, apiUrl: demo.url, now: () => now }
  const categories = await readCategories(
    { ...adapter, credentials: { id: 'any', secret: 'any' }, marketplaceId: undefined },
    AbortSignal.timeout(10_000),
  )
  const known = families.map(({ category }) => category)
  expect(categories.toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual(
    [...new Map(known.map(({ id, path }) => [id, { id, path }])).values()].toSorted(
      (a, b) => Number(a.id) - Number(b.id),
    ),
  )
  const { tokenFor } = createTokenSource({ ...adapter, clientId: 'any', clientSecret: 'any', now: () => now.getTime() })
  const token = await tokenFor(`${demo.url}/oauth/api_scope`, AbortSignal.timeout(10_000))
  const found = await call(`${demo.url}/buy/browse/v1/item_summary/search?q=camera&limit=5`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  })
  for (const { image } of found.itemSummaries as { image: { imageUrl: string } }[])
    expect((await fetch(image.imageUrl)).headers.get('content-type')).toBe('image/png')
})

test('an unknown page is a 404', async () => {
  const response = await fetch(`${demo.url}/itm/999`)
  expect(response.status).toBe(404)
})

describe('the deletion of an account', () => {
  const deleteAccount = async (origin: string, username: string) => {
    const path = `/demo/account-deletion?username=${encodeURIComponent(username)}`
    const response = await fetch(origin + path, { method: 'POST' })
    return { status: response.status, body: await response.json() }
  }

  test('is notified to the endpoint, signed by the key that the API shows', async () => {
    await using endpoint = await startHttpServer(async () => ({ status: 200, body: {} }))
    const notifying = await startDemoMarketplace({ clock: () => now, notificationEndpoint: endpoint.url })
    const [seller] = createInventory({ seed: 1, now }).sellers
    const username = seller?.name ?? ''
    expect(await deleteAccount(notifying.url, username)).toMatchObject({ status: 200, body: { status: 200 } })
    const [sent] = endpoint.requests
    const signature = parseSignature(String(sent?.headers['x-marketplace-signature']))
    const call = createApiCall({ userAgent: 'test' })
    const tokens = createTokenSource({
      call,
      apiUrl: notifying.url,
      clientId: 'a',
      clientSecret: 'b',
      now: () => now.getTime(),
    })
    const { signal } = new AbortController()
    const headers = { authorization: `Bearer ${await tokens.tokenFor(`${notifying.url}/oauth/api_scope`, signal)}` }
    const path = `/commerce/notification/v1/public_key/${signature?.keyId}`
    const { key } = await call(notifying.url + path, { headers, signal })
    const publicKey = readPublicKey(String(key))
    const body = Buffer.from(sent?.text ?? '')
    expect(publicKey && signature && isSignedBy(publicKey, body, signature.signature)).toBe(true)
    expect(parseNotification(body).identifiers).toEqual([username.toLowerCase()])
    expect((await deleteAccount(notifying.url, 'unknown-seller')).status).toBe(404)
    await notifying.close()
  })

  test('is refused to web pages', async () => {
    const path = '/demo/account-deletion?username=anyone'
    const response = await fetch(demo.url + path, { method: 'POST', headers: { origin: 'https://page.test' } })
    expect(response.status).toBe(403)
  })

  test('without an endpoint is refused with a sentence that names the setting', async () => {
    expect(await deleteAccount(demo.url, 'anyone')).toMatchObject({
      status: 409,
      body: { errors: [{ message: expect.stringContaining('MARKETPLACE_NOTIFICATION_ENDPOINT') }] },
    })
  })
})
