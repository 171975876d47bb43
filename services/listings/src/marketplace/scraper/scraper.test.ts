import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startDemoMarketplace } from '../demo/server.ts'
import { searchAddress, soldAddress } from './addresses.ts'
import { createFetchPage } from './fetch-page.ts'
import { createHostGate } from './host-gate.ts'
import { createMemoryHostStates } from './host-states.ts'
import { createHttpGet } from './http-get.ts'
import { createPageCache } from './page-cache.ts'
import { cacheMilliseconds, createPoliteFetch } from './polite.ts'
import { createRobots } from './robots.ts'
import { createScraper } from './scraper.ts'

const signal = new AbortController().signal
const request = {
  query: 'camera',
  mustExclude: [],
  minPrice: undefined,
  maxPrice: undefined,
  categoryId: undefined,
  pages: 1,
}

/** A site that answers with `respond`, and a scraper of it with a simulated clock and recorded pauses. */
const createSite = async (respond: (request: IncomingMessage, response: ServerResponse) => void) => {
  const requests: { path: string; userAgent: string | undefined }[] = []
  const server = createServer((incoming, response) => {
    requests.push({ path: incoming.url ?? '', userAgent: incoming.headers['user-agent'] })
    respond(incoming, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let now = 0
  const pauses: number[] = []
  const clock = () => now
  const get = createHttpGet({
    userAgent: 'Tester/1.0 (a test)',
    timeoutMilliseconds: 5_000,
    maxBytes: 100_000,
    mayBePrivate: () => true,
  })
  const fetchPage = createFetchPage({
    get,
    gate: createHostGate({
      gapMilliseconds: 1_000,
      hostStates: createMemoryHostStates(),
      clock,
      sleep: async (milliseconds) => {
        pauses.push(milliseconds)
        now += milliseconds
      },
    }),
    robots: createRobots({ get, userAgent: 'Tester', clock }),
    cache: createPageCache({ lifetimeMilliseconds: 300_000, maxCharacters: 1_000_000, clock }),
  })
  const scraper = createScraper({
    fetchPage,
    baseUrl,
    platform: 'marketplace',
    defaultCurrency: 'USD',
    now: () => new Date('2026-06-15T12:00:00Z'),
  })
  return {
    baseUrl,
    requests,
    pauses,
    fetchPage,
    scraper,
    advance: (milliseconds: number) => {
      now += milliseconds
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Site = Awaited<ReturnType<typeof createSite>>
const sites: Site[] = []
const site = async (respond: Parameters<typeof createSite>[0]): Promise<Site> => {
  const created = await createSite(respond)
  sites.push(created)
  return created
}
afterEach(async () => {
  for (const one of sites.splice(0)) await one.close()
})

const send = (response: ServerResponse, status: number, body = '', headers: Record<string, string> = {}) => {
  response.writeHead(status, headers)
  response.end(body)
}
const page = '<html><body><h1 class="srp-controls__count-heading">0 results for camera</h1></body></html>'
const unlessRobots =
  (answer: (response: ServerResponse, path: string) => void, robots = '', status = 200) =>
  (incoming: IncomingMessage, response: ServerResponse) =>
    incoming.url === '/robots.txt' ? send(response, status, robots) : answer(response, incoming.url ?? '')

describe('addresses', () => {
  test('every value of a search address is encoded', () => {
    const address = new URL(
      searchAddress(
        'http://site.test',
        {
          ...request,
          query: 'a&b #1 50%',
          mustExclude: ['for parts', 'x'],
          minPrice: 10,
          maxPrice: 99.5,
          categoryId: '9355',
        },
        2,
      ),
    )
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      _nkw: 'a&b #1 50% -"for parts" -x',
      _udlo: '10',
      _udhi: '99.5',
      _sacat: '9355',
      _pgn: '2',
    })
    expect(new URL(soldAddress('http://site.test', 'a&b')).searchParams.get('LH_Sold')).toBe('1')
  })
})

describe('text of pages', () => {
  const html = `<html><head><title>x</title><meta charset="iso-8859-1"></head><body><ul class="srp-results"><li class="s-card" data-listingid="256000000001"><a class="s-card__link" href="/itm/256000000001"><div class="s-card__title">Caf\u00e9 A\0B</div></a><span class="s-card__price">$5.00</span><div class="s-card__attribute-row">bo\0b 99% positive (99999999999)</div></li></ul></body></html>`
  const titles = async (headers: Record<string, string>, body: Buffer) => {
    const { scraper } = await site((incoming, response) => {
      response.writeHead(incoming.url === '/robots.txt' ? 404 : 200, headers)
      response.end(incoming.url === '/robots.txt' ? '' : body)
    })
    return scraper.search(request, signal)
  }

  test('is decoded as the page declares it, and its NUL characters are replaced, since databases refuse them', async () => {
    const { listings, sellers } = await titles({ 'content-type': 'text/html' }, Buffer.from(html, 'latin1'))
    expect(listings.map(({ title }) => title)).toEqual(['Café A\ufffdB'])
    expect(sellers.map(({ username }) => username)).toEqual(['bo\ufffdb'])
  })

  test('is decoded as the header states, whatever the page declares', async () => {
    const { listings } = await titles({ 'content-type': 'text/html; charset=utf-8' }, Buffer.from(html))
    expect(listings.map(({ title }) => title)).toEqual(['Café A\ufffdB'])
  })

  test('a count that no column of integers can store is the largest one', async () => {
    const { sellers } = await titles({ 'content-type': 'text/html; charset=utf-8' }, Buffer.from(html))
    expect(sellers.map(({ feedbackCount }) => feedbackCount)).toEqual([2 ** 31 - 1])
  })
})

describe('politeness', () => {
  test('requests have our user agent and a gap between them, and repeated pages come from the cache', async () => {
    const { fetchPage, baseUrl, requests, pauses } = await site(unlessRobots((response) => send(response, 200, page)))
    await fetchPage(`${baseUrl}/a`, signal)
    await fetchPage(`${baseUrl}/b`, signal)
    await fetchPage(`${baseUrl}/a`, signal)
    expect(requests.map(({ path }) => path)).toEqual(['/robots.txt', '/a', '/b'])
    expect(requests.every(({ userAgent }) => userAgent === 'Tester/1.0 (a test)')).toBe(true)
    expect(pauses).toEqual([1_000])
  })

  test('a page is cached for five minutes', async () => {
    let time = 0
    let loads = 0
    const cache = createPageCache({ lifetimeMilliseconds: cacheMilliseconds, maxCharacters: 100, clock: () => time })
    const load = async () => ({ body: String(++loads) })
    await cache.get('page', load)
    time = 5 * 60_000 - 1
    expect((await cache.get('page', load)).body).toBe('1')
    time = 5 * 60_000
    expect((await cache.get('page', load)).body).toBe('2')
  })

  test('equal concurrent requests share one fetch', async () => {
    const { fetchPage, baseUrl, requests } = await site(unlessRobots((response) => send(response, 200, page)))
    await Promise.all([
      fetchPage(`${baseUrl}/a`, signal),
      fetchPage(`${baseUrl}/a`, signal),
      fetchPage(`${baseUrl}/a`, signal),
    ])
    expect(requests.filter(({ path }) => path === '/a')).toHaveLength(1)
  })

  test('a caller that shares a cancelled request repeats it instead of failing', async () => {
    const requested = Promise.withResolvers<void>()
    let times = 0
    const { fetchPage, baseUrl } = await site(
      unlessRobots((response) => {
        times += 1
        if (times === 1) requested.resolve()
        else send(response, 200, page)
      }),
    )
    const leaving = new AbortController()
    const first = fetchPage(`${baseUrl}/a`, leaving.signal)
    await requested.promise
    const second = fetchPage(`${baseUrl}/a`, signal)
    leaving.abort(new Error('It was cancelled.'))
    await expect(first).rejects.toThrow('It was cancelled.')
    await expect(second).resolves.toBe(page)
    expect(times).toBe(2)
  })

  test('a page that robots.txt forbids is not requested', async () => {
    const { fetchPage, baseUrl, requests } = await site(
      unlessRobots((response) => send(response, 200, page), 'User-agent: *\nDisallow: /sch/\nAllow: /sch/ok\n'),
    )
    await expect(fetchPage(`${baseUrl}/sch/i.html`, signal)).rejects.toMatchObject({
      status: 502,
      reason: 'ForbiddenByRobots',
    })
    await fetchPage(`${baseUrl}/sch/ok`, signal)
    expect(requests.map(({ path }) => path)).toEqual(['/robots.txt', '/sch/ok'])
  })

  test('an unavailable robots.txt forbids everything until it can be fetched, a missing one nothing', async () => {
    let status = 500
    const served = await site((incoming, response) =>
      incoming.url === '/robots.txt' ? send(response, status) : send(response, 200, page),
    )
    await expect(served.fetchPage(`${served.baseUrl}/a`, signal)).rejects.toMatchObject({
      reason: 'UpstreamFailed',
      message: expect.stringContaining('its robots.txt answered with status 500'),
    })
    status = 404
    served.advance(61_000)
    await expect(served.fetchPage(`${served.baseUrl}/a`, signal)).resolves.toBe(page)
  })

  test('an unreachable marketplace is reported as unreachable, not as forbidding the page', async () => {
    const served = await site((_, response) => response.destroy())
    const refusal = served.fetchPage(`${served.baseUrl}/a`, signal)
    await expect(refusal).rejects.toMatchObject({
      reason: 'UpstreamFailed',
      message: expect.stringContaining('is unreachable'),
    })
    await expect(refusal).rejects.not.toThrow('robots.txt')
    // The failure is cached for a minute, for every caller.
    await expect(served.fetchPage(`${served.baseUrl}/b`, signal)).rejects.toMatchObject({ reason: 'UpstreamFailed' })
  })

  test('a crawl delay in robots.txt widens the gap', async () => {
    const { fetchPage, baseUrl, pauses } = await site(
      unlessRobots((response) => send(response, 200, page), 'User-agent: *\nCrawl-delay: 3\n'),
    )
    await fetchPage(`${baseUrl}/a`, signal)
    await fetchPage(`${baseUrl}/b`, signal)
    expect(pauses).toEqual([3_000])
  })

  test('a crawl delay that robots.txt no longer has does not widen the gap', async () => {
    let robots = 'User-agent: *\nCrawl-delay: 3\n'
    const { fetchPage, baseUrl, pauses, advance } = await site((incoming, response) =>
      send(response, 200, incoming.url === '/robots.txt' ? robots : page),
    )
    await fetchPage(`${baseUrl}/a`, signal)
    robots = ''
    advance(25 * 3_600_000)
    await fetchPage(`${baseUrl}/b`, signal)
    await fetchPage(`${baseUrl}/c`, signal)
    expect(pauses).toEqual([1_000])
  })

  test('concurrent requests to a host request its robots.txt once, also when the rules have expired', async () => {
    const { fetchPage, baseUrl, requests, advance } = await site(unlessRobots((response) => send(response, 200, page)))
    const both = (one: string, other: string) =>
      Promise.all([fetchPage(`${baseUrl}/${one}`, signal), fetchPage(`${baseUrl}/${other}`, signal)])
    await both('a', 'b')
    advance(25 * 3_600_000)
    await both('c', 'd')
    expect(requests.filter(({ path }) => path === '/robots.txt')).toHaveLength(2)
  })

  test('a robots.txt that is refused closes the host for its Retry-After, to other workers, too', async () => {
    const { baseUrl, requests } = await site((_, response) => send(response, 503, '', { 'retry-after': '120' }))
    const hostStates = createMemoryHostStates()
    const worker = () =>
      createPoliteFetch({ userAgent: 'Tester/1.0', gapMilliseconds: 0, mayBePrivate: () => true, hostStates })
    await expect(worker()(`${baseUrl}/a`, signal)).rejects.toMatchObject({
      reason: 'UpstreamFailed',
      retryAfterSeconds: 120,
    })
    await expect(worker()(`${baseUrl}/b`, signal)).rejects.toMatchObject({ reason: 'BreakerOpen' })
    expect(requests).toHaveLength(1)
  })
})

describe('a robots.txt that redirects', () => {
  const polite = (mayBePrivate: (hostname: string) => boolean = () => true) => {
    const hosts: string[] = []
    const memory = createMemoryHostStates()
    const hostStates: typeof memory = {
      change: (host, make) => {
        hosts.push(host)
        return memory.change(host, make)
      },
    }
    const fetchPage = createPoliteFetch({ userAgent: 'Tester/1.0', gapMilliseconds: 0, mayBePrivate, hostStates })
    return { fetchPage, hosts }
  }
  /** A host whose `/5` redirects to `/4`, and so on, and whose `/0` has the rules. */
  const elsewhere = () =>
    site(({ url = '' }, response) =>
      url === '/0'
        ? send(response, 200, 'User-agent: *\nDisallow: /secret\n')
        : send(response, 302, '', { location: `/${Number(url.slice(1)) - 1}` }),
    )
  const redirectingTo = (location: string) =>
    site((incoming, response) =>
      incoming.url === '/robots.txt' ? send(response, 301, '', { location }) : send(response, 200, page),
    )

  test('to another host, five times, has the rules of the host that redirects', async () => {
    const rules = await elsewhere()
    const { fetchPage, hosts } = polite()
    const { baseUrl, requests } = await redirectingTo(`${rules.baseUrl}/4`)
    await expect(fetchPage(`${baseUrl}/a`, signal)).resolves.toBe(page)
    await expect(fetchPage(`${baseUrl}/secret`, signal)).rejects.toMatchObject({ reason: 'ForbiddenByRobots' })
    expect(requests.map(({ path }) => path)).toEqual(['/robots.txt', '/a'])
    expect(rules.requests.map(({ path }) => path)).toEqual(['/4', '/3', '/2', '/1', '/0'])
    // Each took a slot of its host.
    expect(hosts.slice(0, 6)).toEqual([baseUrl, ...Array(5).fill(rules.baseUrl)].map((url) => new URL(url).host))
  })

  test('more often forbids the page', async () => {
    const rules = await elsewhere()
    const { baseUrl } = await redirectingTo(`${rules.baseUrl}/5`)
    await expect(polite().fetchPage(`${baseUrl}/a`, signal)).rejects.toMatchObject({
      message: expect.stringContaining('its robots.txt redirects in a loop'),
    })
  })

  test('to a private address of another host is not followed', async () => {
    const rules = await elsewhere()
    const { baseUrl } = await redirectingTo(`${rules.baseUrl.replace('127.0.0.1', 'localhost')}/0`)
    const { fetchPage } = polite((hostname) => hostname === '127.0.0.1')
    await expect(fetchPage(`${baseUrl}/a`, signal)).rejects.toThrow('is not an allowed address')
    expect(rules.requests).toEqual([])
  })
})

describe('refusals', () => {
  test('a refusal closes the host for its Retry-After, and further requests fail without being sent', async () => {
    const { fetchPage, baseUrl, requests, advance } = await site(
      unlessRobots((response) => send(response, 429, '', { 'retry-after': '120' })),
    )
    await expect(fetchPage(`${baseUrl}/a`, signal)).rejects.toMatchObject({
      status: 502,
      reason: 'MarketplaceRefused',
      retryAfterSeconds: 120,
    })
    advance(20_000)
    await expect(fetchPage(`${baseUrl}/a`, signal)).rejects.toMatchObject({
      status: 502,
      reason: 'BreakerOpen',
      retryAfterSeconds: 100,
    })
    expect(requests.filter(({ path }) => path === '/a')).toHaveLength(1)
  })

  test.each([
    ['a page', 200],
    ['a refusal without Retry-After', 403],
  ])('%s that was requested before a refusal does not reopen the host', async (_, status) => {
    const held: ServerResponse[] = []
    const { fetchPage, baseUrl, advance } = await site((incoming, response) => {
      if (incoming.url === '/robots.txt') return send(response, 404, '')
      if (incoming.url === '/slow') return void held.push(response)
      send(response, 429, '', { 'retry-after': '120' })
    })
    const slow = fetchPage(`${baseUrl}/slow`, signal).catch(() => undefined)
    await expect.poll(() => held.length).toBe(1)
    await expect(fetchPage(`${baseUrl}/a`, signal)).rejects.toMatchObject({ retryAfterSeconds: 120 })
    for (const response of held) send(response, status, page)
    await slow
    advance(20_000)
    await expect(fetchPage(`${baseUrl}/b`, signal)).rejects.toMatchObject({
      reason: 'BreakerOpen',
      retryAfterSeconds: 100,
    })
  })

  test('a Retry-After of years closes the host for a day', async () => {
    const { fetchPage, baseUrl } = await site(
      unlessRobots((response) => send(response, 429, '', { 'retry-after': '99999999999' })),
    )
    await expect(fetchPage(`${baseUrl}/a`, signal)).rejects.toMatchObject({ status: 502 })
    await expect(fetchPage(`${baseUrl}/b`, signal)).rejects.toMatchObject({ retryAfterSeconds: 86_400 })
  })

  test('without Retry-After the pause after refusals doubles from 2 s', async () => {
    let status = 403
    const { fetchPage, baseUrl, pauses } = await site(unlessRobots((response) => send(response, status, page)))
    for (const path of ['/a', '/b', '/c'])
      await expect(fetchPage(baseUrl + path, signal)).rejects.toMatchObject({ status: 502 })
    expect(pauses).toEqual([2_000, 4_000])
    await expect(fetchPage(`${baseUrl}/d`, signal)).rejects.toMatchObject({
      reason: 'BreakerOpen',
      retryAfterSeconds: 8,
    })
    status = 200
  })

  test.each([
    [
      'a challenge with status 200',
      200,
      '<html><title>Pardon Our Interruption...</title></html>',
      'MarketplaceRefused',
    ],
    ['an error page with status 200', 200, '<html><title>Error Page</title></html>', 'MarketplaceRefused'],
    ['a server error', 500, '', 'UpstreamFailed'],
  ])('%s is never an empty result', async (_, status, body, reason) => {
    const { scraper } = await site(unlessRobots((response) => send(response, status, body)))
    await expect(scraper.search(request, signal)).rejects.toMatchObject({ status: 502, reason })
  })

  test('a page without cards is layout drift if it announces results, and empty if it announces none', async () => {
    let count = '1,200'
    const { scraper } = await site(
      unlessRobots((response) => send(response, 200, page.replace('0 results', `${count} results`))),
    )
    await expect(scraper.search(request, signal)).rejects.toMatchObject({ reason: 'LayoutDrift' })
    count = '0'
    await expect(scraper.search({ ...request, query: 'other' }, signal)).resolves.toEqual({
      listings: [],
      sellers: [],
      usableShare: 1,
    })
  })

  test('a price that is struck through, beside a price that the page hides, is no price of the listing', async () => {
    const priced = (price: string, id: string) =>
      `<li class="s-card"><a href="/itm/${id}"><div class="s-card__title">Camera</div></a><div>${price}</div></li>`
    const shown = priced('<span class="s-card__price">$90.00</span>', '110000000001')
    const hidden = priced('<span class="s-card__price">See price</span><s>$699.00</s>', '110000000002')
    const results = `<ul class="srp-results">${shown}${hidden}</ul>`
    const { scraper } = await site(unlessRobots((response) => send(response, 200, results)))
    const { listings } = await scraper.search(request, signal)
    expect(listings.map(({ price }) => price)).toEqual([90, null])
  })

  test('an overlong title is truncated, and a picture without a web address is dropped', async () => {
    const card = `<li class="s-card" data-listingid="130000000001"><a class="s-card__link" href="/itm/130000000001"><img src="javascript:alert(1)"><div class="s-card__title"><span>${'no scratches '.repeat(2_000)}</span></div></a><span class="s-card__price">$100.00</span></li>`
    const results = `<h1 class="srp-controls__count-heading">1 results</h1><ul class="srp-results">${card}</ul>`
    const { scraper } = await site(unlessRobots((response) => send(response, 200, results)))
    const { listings } = await scraper.search(request, signal)
    expect(listings).toMatchObject([{ platformListingId: '130000000001', photoUrls: [] }])
    expect(listings[0]?.title).toHaveLength(300)
  })

  test('redirects are followed on the same host only', async () => {
    const { fetchPage, baseUrl } = await site(
      unlessRobots((response, path) =>
        path === '/away'
          ? send(response, 302, '', { location: 'http://elsewhere.test/' })
          : path === '/here'
            ? send(response, 301, '', { location: '/there' })
            : send(response, 200, page),
      ),
    )
    await expect(fetchPage(`${baseUrl}/away`, signal)).rejects.toMatchObject({ reason: 'MarketplaceRefused' })
    await expect(fetchPage(`${baseUrl}/here`, signal)).resolves.toBe(page)
  })

  test('a redirect is as polite as a request: it takes a slot, and robots.txt applies to its target', async () => {
    const { fetchPage, baseUrl, requests, pauses } = await site(
      unlessRobots(
        (response, path) =>
          path.startsWith('/to')
            ? send(response, 302, '', { location: path.replace('/to', '') })
            : send(response, 200, page),
        'User-agent: *\nDisallow: /challenge\n',
      ),
    )
    await expect(fetchPage(`${baseUrl}/to/there`, signal)).resolves.toBe(page)
    expect(pauses).toEqual([1_000])
    await expect(fetchPage(`${baseUrl}/to/challenge?of=1`, signal)).rejects.toMatchObject({
      reason: 'ForbiddenByRobots',
      message: expect.stringContaining('/challenge, which another page redirects to'),
    })
    expect(requests.map(({ path }) => path)).toEqual(['/robots.txt', '/to/there', '/there', '/to/challenge?of=1'])
  })

  test('a loop of redirects ends', async () => {
    const { fetchPage, baseUrl } = await site(
      unlessRobots((response) => send(response, 302, '', { location: '/again' })),
    )
    await expect(fetchPage(`${baseUrl}/again`, signal)).rejects.toMatchObject({ reason: 'MarketplaceRefused' })
  })

  test('a page over the size limit is rejected', async () => {
    const { fetchPage, baseUrl } = await site(unlessRobots((response) => send(response, 200, 'x'.repeat(200_000))))
    await expect(fetchPage(`${baseUrl}/big`, signal)).rejects.toMatchObject({ reason: 'UpstreamFailed' })
  })

  test('an address without a server fails as UpstreamFailed', async () => {
    const get = createHttpGet({
      userAgent: 'Tester',
      timeoutMilliseconds: 5_000,
      maxBytes: 1000,
      mayBePrivate: () => true,
    })
    await expect(get('http://127.0.0.1:1/', signal)).rejects.toMatchObject({ status: 502, reason: 'UpstreamFailed' })
    await expect(get('http://169.254.169.254/latest', signal)).rejects.toMatchObject({ reason: 'UpstreamFailed' })
  })

  test('only configured hosts may have private addresses', async () => {
    const { baseUrl } = await site(unlessRobots((response) => send(response, 200, page)))
    const options = { userAgent: 'Tester', timeoutMilliseconds: 5_000, maxBytes: 100_000 }
    const configured = createHttpGet({ ...options, mayBePrivate: (hostname) => hostname === '127.0.0.1' })
    await expect(configured(`${baseUrl}/a`, signal)).resolves.toMatchObject({ status: 200 })
    for (const name of ['localhost', '[::ffff:7f00:1]'])
      await expect(configured(baseUrl.replace('127.0.0.1', name), signal)).rejects.toThrow('is not an allowed address')
  })
})

describe('the demo marketplace', () => {
  let demo: Awaited<ReturnType<typeof startDemoMarketplace>>
  const clock = () => new Date('2026-06-15T12:00:00Z')
  beforeEach(async () => {
    demo = await startDemoMarketplace({ clock })
  })
  afterEach(() => demo.close())

  const scraperOf = (baseUrl: string) => {
    const get = createHttpGet({
      userAgent: 'Tester/1.0',
      timeoutMilliseconds: 5_000,
      maxBytes: 10_000_000,
      mayBePrivate: () => true,
    })
    const now = () => performance.now()
    const fetchPage = createFetchPage({
      get,
      gate: createHostGate({
        gapMilliseconds: 0,
        hostStates: createMemoryHostStates(),
        clock: now,
        sleep: async () => undefined,
      }),
      robots: createRobots({ get, userAgent: 'Tester', clock: now }),
      cache: createPageCache({ lifetimeMilliseconds: 1000, maxCharacters: 10_000_000, clock: now }),
    })
    return createScraper({ fetchPage, baseUrl, platform: 'marketplace', defaultCurrency: 'USD', now: clock })
  }

  test('serves listings, sellers, sales and the data that enrichment looks up', async () => {
    const scraper = scraperOf(demo.url)
    const found = await scraper.search({ ...request, pages: 2 }, signal)
    expect(found.listings.length).toBeGreaterThan(100)
    expect(new Set(found.listings.map(({ platformListingId }) => platformListingId)).size).toBe(found.listings.length)
    const known = new Set(found.sellers.map(({ platformSellerId }) => platformSellerId))
    expect(found.listings.every(({ sellerPlatformId }) => known.has(sellerPlatformId))).toBe(true)
    expect((await scraper.completedSales('camera', signal)).length).toBeGreaterThan(20)
    const [first] = found.listings
    expect(await scraper.sellerFacts(first?.platformListingId ?? '', signal)).toMatchObject({
      sellerNames: expect.arrayContaining([first?.sellerPlatformId]),
      accountOpened: { earliest: expect.stringMatching(/-01$/), latest: expect.any(String) },
    })
    expect(await scraper.sellerFacts('999999999999', signal)).toBeUndefined()
    expect(await scraper.sellerCategories(first?.sellerPlatformId ?? '', signal)).toHaveProperty('COMPUTERS_TABLETS')
  })
})
