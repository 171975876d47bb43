import { chromiumMissing, chromiumOptions } from '@trellis/test/support/chromium'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { card, openSite, shellOf } from '../../../test/scripted-site.ts'
import { startDemoMarketplace } from '../demo/server.ts'
import type { Rendering } from '../scraper/fetch-page.ts'
import type { HttpGet } from '../scraper/http-get.ts'
import { createPoliteFetch } from '../scraper/polite.ts'
import { createScraper } from '../scraper/scraper.ts'
import { readSearchPage } from '../search-page.ts'
import { createBrowser, type RenderingBrowser } from './chromium.ts'

const userAgent = 'Tester/1.0 (a test)'
const { signal } = new AbortController()
const request = {
  query: 'camera',
  mustExclude: [],
  minPrice: undefined,
  maxPrice: undefined,
  categoryId: undefined,
  pages: 2,
}

const cardsIn = (html: string | undefined): number => {
  const page = readSearchPage(html ?? '', {
    pageUrl: 'http://site.test/',
    observedAt: new Date(),
    defaultCurrency: 'USD',
  })
  return page.kind === 'results' ? page.cards.length : -1
}
const results = (count: number) =>
  `<h1 class="srp-controls__count-heading">${count} results</h1><ul class="srp-results">${Array.from({ length: count }, (_, index) => card(index)).join('')}</ul>`
const putIn = (markup: string) => `document.querySelector('#root').innerHTML = ${JSON.stringify(markup)}`

/** For pages that request nothing. */
const nothing: HttpGet = () => Promise.reject(new Error('This page must not request anything.'))

describe.skipIf(chromiumMissing !== '')(`pages shown in a browser ${chromiumMissing}`, () => {
  let browser: RenderingBrowser
  beforeEach(() => {
    browser = createBrowser({ ...chromiumOptions, userAgent })
  })
  afterEach(() => browser[Symbol.asyncDispose]())

  const fetchWith = (pages: Rendering['pages'], gapMilliseconds = 0) =>
    createPoliteFetch({
      userAgent,
      mayBePrivate: () => true,
      gapMilliseconds,
      rendering: { pages, render: browser.render },
    })

  test('a marketplace with script-generated pages is searched like any other', async () => {
    const clock = () => new Date('2026-06-15T12:00:00Z')
    const [plain, scripted] = [
      await startDemoMarketplace({ clock }),
      await startDemoMarketplace({ clock, isScripted: true }),
    ]
    const scraperOf = (baseUrl: string) =>
      createScraper({
        fetchPage: fetchWith('needed'),
        baseUrl,
        platform: 'marketplace',
        defaultCurrency: 'USD',
        now: clock,
      })
    try {
      const [expected, found] = [
        await scraperOf(plain.url).search(request, signal),
        await scraperOf(scripted.url).search(request, signal),
      ]
      expect(found.listings.length).toBeGreaterThan(100)
      const ids = ({ listings }: typeof found) => listings.map(({ platformListingId }) => platformListingId)
      expect(ids(found)).toEqual(ids(expected))
      expect(found.sellers).toEqual(expected.sellers)
      const [first] = ids(found)
      expect(await scraperOf(scripted.url).sellerFacts(first ?? '', signal)).toEqual(
        await scraperOf(plain.url).sellerFacts(first ?? '', signal),
      )
    } finally {
      await Promise.all([plain.close(), scripted.close()])
    }
  })

  test('a page requests only scripts and data of its own site, with our user agent, and itself once', async () => {
    await using stranger = await openSite({})
    await using site = await openSite({
      '/page': {
        headers: { 'set-cookie': 'visit=1' },
        body: shellOf(`
          <link rel="stylesheet" href="/style.css"><img src="/image.png"><iframe src="/frame"></iframe>
          <video src="/film.mp4" autoplay></video><object data="/thing"></object>
          <style>@font-face { font-family: f; src: url(/font.woff2) } body { font-family: f; background: url(/back.png) }</style>
          <script src="${stranger.url}/ads.js"></script><img src="${stranger.url}/pixel.gif">
          <script src="/page.js"></script>`),
      },
      '/page.js': {
        body: `
          new Image().src = '/beacon.gif'
          navigator.sendBeacon('/beacon', 'x')
          new WebSocket('ws://' + location.host + '/socket')
          new EventSource('/events')
          fetch('${stranger.url}/measure').catch(() => undefined)
          fetch('/post', { method: 'POST' }).catch(() => undefined)
          fetch('/data').then((answer) => answer.text()).then((text) => {
            ${putIn(results(3))}
            document.title = [navigator.userAgent, navigator.webdriver, text].join('|')
          })`,
      },
      '/data': { headers: { 'content-type': 'text/plain' }, body: 'data' },
    })
    const html = await fetchWith('needed')(`${site.url}/page`, signal)
    expect(cardsIn(html)).toBe(3)
    expect(html).toContain(`<title>${userAgent}|true|data</title>`)
    expect(site.paths()).toEqual(['/robots.txt', '/page', '/page.js', '/data'])
    expect(stranger.paths()).toEqual([])
    expect(site.requested.every(({ headers }) => headers['user-agent'] === userAgent)).toBe(true)
    expect(site.requested.some(({ headers }) => headers.cookie !== undefined)).toBe(false)
    expect(site.requested.map(({ headers }) => headers.accept).slice(2)).toEqual(['*/*', '*/*'])
  })

  test('robots.txt and the request gap apply to subresources, which are cached like pages', async () => {
    await using site = await openSite({
      '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private/\n' },
      '/a': { body: shellOf('<script src="/private/x.js"></script><script src="/page.js"></script>') },
      '/b': { body: shellOf('<script src="/page.js"></script>') },
      '/page.js': { body: putIn(results(2)) },
    })
    const fetchPage = fetchWith('needed', 400)
    const started = performance.now()
    expect(cardsIn(await fetchPage(`${site.url}/a`, signal))).toBe(2)
    expect(cardsIn(await fetchPage(`${site.url}/b`, signal))).toBe(2)
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/page.js', '/b'])
    expect(performance.now() - started).toBeGreaterThan(2 * 400)
  })

  test('a page that has cards is rendered only where all pages are', async () => {
    await using site = await openSite({
      '/page': { body: shellOf(`${results(2)}<script src="/page.js"></script>`) },
      '/page.js': { body: putIn('shown') },
    })
    expect(await fetchWith('needed')(`${site.url}/page`, signal)).not.toContain('shown')
    expect(site.paths()).not.toContain('/page.js')
    expect(await fetchWith('always')(`${site.url}/page`, signal)).toContain('<div id="root">shown</div>')
  })

  test('a challenge is a refusal and is never rendered, even if a script generates it', async () => {
    await using site = await openSite({
      '/plain': { body: '<title>Pardon Our Interruption...</title><script src="/pass.js"></script>' },
      '/made': { body: shellOf(`<script>document.title = 'Just a moment...'</script>`) },
    })
    for (const path of ['/plain', '/made'])
      await expect(fetchWith('always')(site.url + path, signal)).rejects.toMatchObject({ reason: 'MarketplaceRefused' })
    expect(site.paths()).not.toContain('/pass.js')
  })

  test('a refused subresource is a refusal of the page, and opens the breaker of the host', async () => {
    await using site = await openSite({
      '/page': { body: shellOf('<script src="/page.js"></script>') },
      '/page.js': { status: 429, headers: { 'retry-after': '120' } },
    })
    const fetchPage = fetchWith('needed')
    await expect(fetchPage(`${site.url}/page`, signal)).rejects.toMatchObject({
      status: 502,
      reason: 'MarketplaceRefused',
      retryAfterSeconds: 120,
    })
    await expect(fetchPage(`${site.url}/other`, signal)).rejects.toMatchObject({ reason: 'BreakerOpen' })
  })

  test('neither a script nor a form can navigate a page away', async () => {
    await using site = await openSite({
      '/page': {
        body: shellOf(`<form id="form" action="/elsewhere"></form><script>
          location.href = '/elsewhere'
          setTimeout(() => location.reload(), 30)
          setTimeout(() => document.querySelector('#form').submit(), 60)
          setTimeout(() => open('/elsewhere'), 90)
          setTimeout(() => { ${putIn(results(1))} }, 150)</script>`),
      },
    })
    expect(cardsIn(await fetchWith('needed')(`${site.url}/page`, signal))).toBe(1)
    expect(site.paths()).toEqual(['/robots.txt', '/page'])
  })

  test('a page that requests or grows endlessly stays within its limits', async () => {
    await using site = await openSite({
      '/requests': {
        body: shellOf(`<script>
          const again = (n) => fetch('/part?' + n).catch(() => undefined).then(() => setTimeout(again, 1, n + 1))
          again(1)</script>`),
      },
      '/grows': {
        body: shellOf(`<script>
          const grow = () => document.body.append(...Array.from({ length: 50000 }, () => document.createElement('p')))
          for (let times = 0; times < 5; times++) grow()
          setInterval(grow, 500)</script>`),
      },
      '/large': {
        body: shellOf(`<script>document.querySelector('#root').textContent = 'x'.repeat(9_000_000)</script>`),
      },
    })
    const fetchPage = fetchWith('needed')
    await fetchPage(`${site.url}/requests`, signal)
    expect(site.paths().filter((path) => path.startsWith('/part'))).toHaveLength(40)
    // Returns only the reason: on failure, pages themselves would flood the output.
    const failureOf = (path: string) =>
      fetchPage(site.url + path, signal).then(
        () => 'none',
        (error: { readonly reason?: string }) => error.reason,
      )
    expect(await failureOf('/grows')).toBe('UpstreamFailed')
    expect(await failureOf('/large')).toBe('UpstreamFailed')
  })

  test('a script may wait before it requests the content of its page', async () => {
    await using site = await openSite({
      '/page': {
        body: shellOf(`<script>
          const show = (markup) => { document.querySelector('#root').innerHTML = markup }
          setTimeout(() => fetch('/data').then((answer) => answer.text()).then(show), 600)</script>`),
      },
      '/data': { body: results(2) },
    })
    expect(cardsIn(await fetchWith('needed')(`${site.url}/page`, signal))).toBe(2)
  })

  test('a page that hangs times out, and the next one is rendered', async () => {
    await using hasty = createBrowser({ ...chromiumOptions, userAgent, timeoutMilliseconds: 5_000 })
    const show = (script: string) =>
      hasty.render({ address: 'http://site.test/', html: shellOf(script) }, nothing, signal)
    await expect(show('<script>setTimeout(() => { while (true); }, 20)</script>')).rejects.toMatchObject({
      status: 504,
      reason: 'UpstreamTimeout',
    })
    expect(await show(`<script>${putIn('shown')}</script>`)).toContain('<div id="root">shown</div>')
  })

  test('a page that never settles is read at its timeout', async () => {
    await using hasty = createBrowser({ ...chromiumOptions, userAgent, timeoutMilliseconds: 5_000 })
    const html = shellOf(`<script>${putIn(results(2))}
      setInterval(() => {
        document.querySelector('.srp-results').insertAdjacentHTML('beforeend', ${JSON.stringify(card(7))})
      }, 20)</script>`)
    expect(cardsIn(await hasty.render({ address: 'http://site.test/', html }, nothing, signal))).toBeGreaterThan(1)
  })
})

test('without a working browser, a page that needs one fails with 503, and any other is read', async () => {
  await using site = await openSite({
    '/shell': { body: shellOf('<script src="/page.js"></script>') },
    '/full': { body: shellOf(`${results(2)}<script src="/page.js"></script>`) },
  })
  await using missing = createBrowser({ executable: '/nowhere/chromium', hasSandbox: true, userAgent })
  const fetchPage = createPoliteFetch({
    mayBePrivate: () => true,
    userAgent,
    gapMilliseconds: 0,
    rendering: { pages: 'needed', render: missing.render },
  })
  expect(cardsIn(await fetchPage(`${site.url}/full`, signal))).toBe(2)
  await expect(fetchPage(`${site.url}/shell`, signal)).rejects.toMatchObject({
    status: 503,
    reason: 'BrowserUnavailable',
    message: expect.stringContaining('/nowhere/chromium'),
  })
})
