import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openService } from '../../test/open-service.ts'
import { openSite } from '../../test/scripted-site.ts'
import { local, request } from '../../test/searches.ts'
import { readItemPage } from '../marketplace/item-page.ts'
import { readSellerPage } from '../marketplace/seller-page.ts'
import { type FieldRates, isDrifting, updatedRates } from './baseline.ts'

const after = (pages: number, filled: number, before?: FieldRates): FieldRates =>
  Array.from({ length: pages }).reduce<FieldRates | undefined>(
    (rates) => updatedRates(rates, { pages: 1, read: 1, filled }),
    before,
  ) ?? { recent: 0, baseline: 0, pages: 0 }

describe('rates', () => {
  test('start as plain means', () => {
    const rates = after(3, 0, after(3, 1))
    expect(rates.baseline).toBeCloseTo(0.5, 9)
    expect(rates.pages).toBe(6)
  })

  test('a field that vanishes drifts within ten pages, and stays visible for hundreds', () => {
    const usual = after(200, 1)
    expect(isDrifting(usual)).toBe(false)
    expect(isDrifting(after(3, 0, usual))).toBe(false)
    expect(isDrifting(after(10, 0, usual))).toBe(true)
    expect(isDrifting(after(300, 0, usual))).toBe(true)
    expect(isDrifting(after(20, 1, after(10, 0, usual)))).toBe(false)
  })

  test('a field that was never usual, or is new, does not drift', () => {
    expect(isDrifting(after(500, 0))).toBe(false)
    expect(isDrifting(after(30, 0, after(10, 1)))).toBe(false)
  })

  test('cards of one page count as one page', () => {
    expect(updatedRates(undefined, { pages: 1, read: 60, filled: 30 })).toEqual({
      recent: 0.5,
      baseline: 0.5,
      pages: 1,
    })
  })
})

describe('pages that are not understood', () => {
  const context = { pageUrl: 'http://site.test/itm/1', observedAt: new Date(), defaultCurrency: 'USD' }
  const other = '<html><head><title>Camera</title></head><body><section>Something else</section></body></html>'
  const refusal = '<html><head><title>Pardon Our Interruption...</title></head><body></body></html>'

  test('are neither refusals nor empty', () => {
    expect(readItemPage(other, context).kind).toBe('unreadable')
    expect(readItemPage(refusal, context).kind).toBe('refused')
    expect(readSellerPage(other).kind).toBe('unreadable')
    expect(readSellerPage(refusal).kind).toBe('refused')
    expect(readSellerPage('<h1 class="srp-controls__count-heading">0 results</h1>')).toMatchObject({
      kind: 'seller',
      history: null,
    })
  })
})

describe('a service whose site changes', () => {
  const stack = new AsyncDisposableStack()
  afterEach(() => stack.disposeAsync())

  test('reports the page by name, and the drift in metrics and health', async () => {
    const [seller, id] = ['ada', '130000000001']
    const card = `<li class="s-card" data-listingid="${id}"><a class="s-card__link" href="/itm/${id}"><div class="s-card__title"><span>Camera</span></div></a><span class="s-card__price">$100.00</span><div class="su-card-container__attributes__secondary"><div class="s-card__attribute-row"><span>${seller} 99.5% positive (1.2K)</span></div></div></li>`
    const list = `<h1 class="srp-controls__count-heading">1 results</h1><ul class="srp-results">${card}</ul>`
    const answer = (path: string) => {
      if (path === '/robots.txt') return { status: 404 }
      if (path.startsWith('/itm/')) return { body: '<html><body><p>A new design.</p></body></html>' }
      return { body: path.includes('_nkw=') ? list : '<html><body><p>A new design.</p></body></html>' }
    }
    const site = stack.use(await openSite(new Proxy({}, { get: (_, path: string) => answer(path) })))
    const directory = await mkdtemp(join(tmpdir(), 'trellis-listings-drift-'))
    stack.defer(() => rm(directory, { recursive: true, force: true }))
    const service = await openService(
      { dataDirectory: directory },
      { MARKETPLACE_BASE_URL: site.url, MARKETPLACE_REQUEST_GAP_MS: '0' },
    )
    stack.defer(() => service.close())
    await service.client.search(request(), { caller: local })
    await expect(service.client.enrich({ seller, listingId: id, query: '' }, { caller: local })).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('could not be understood'),
    })
    const metrics = await service.metrics.render()
    expect(metrics).toContain('trellis_listings_page_fields_total{page="search",field="price",result="found"} 1')
    expect(metrics).toMatch(
      /trellis_listings_page_fields_total\{page="item",field="understood",result="missing"\} [1-9]/,
    )
    expect(metrics).toContain('trellis_listings_page_field_ratio{page="item",field="understood",window="recent"} 0')
    expect(metrics).toContain('trellis_listings_page_field_drift{page="item",field="understood"} 0')
    expect(await service.client.getPageDrift({}, { caller: local })).toEqual({ fields: [] })
  })
})
