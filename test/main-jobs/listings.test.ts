import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Event, readEvents } from '../support/events.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'

type Listing = {
  platform_listing_id: string
  seller_platform_id: string
  title: string
  price: number | null
  currency: string
  url: string
}
type Score = {
  composite_score: number
  signal_scores: Record<string, number | null>
  score_is_partial: boolean
  score_range: { low: number; high: number }
  evidence: object[]
}
type Results = {
  listings: Listing[]
  trust_scores: Record<string, Score>
  sellers: Record<string, { account_age_days: number | null; feedback_count: number }>
  market_price: number | null
  adapter_used: string
  session_id: string | null
}

const get = async (trellis: Trellis, path: string) => {
  const response = await fetch(`${trellis.origin}/listings/api/${path}`)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Results & { session_id: string; status: string },
  }
}

const follow = (trellis: Trellis, session: string, headers: Record<string, string> = {}) =>
  readEvents(`${trellis.origin}/listings/api/updates/${session}`, ({ event }) => event === 'done', { headers })

describe('the main job of listings, on the demo marketplace', () => {
  let trellis: Trellis
  beforeAll(async () => {
    trellis = await startTrellis()
  })
  afterAll(() => trellis[Symbol.asyncDispose]())

  test('a search returns listings with scores, sellers and a market price, marked as the demo', async () => {
    const { status, headers, body } = await get(trellis, 'search?q=camera')
    expect(status).toBe(200)
    expect(headers.get('x-marketplace')).toBe('demo')
    expect(body.listings.length).toBeGreaterThan(20)
    expect(body.adapter_used).toBe('scraper')
    expect(body.market_price).toBeGreaterThan(0)
    for (const listing of body.listings) {
      expect(listing).toMatchObject({
        title: expect.stringMatching(/\S/),
        currency: expect.stringMatching(/^[A-Z]{3}$/),
      })
      expect(listing.url).toMatch(/^http/)
      const score = body.trust_scores[listing.platform_listing_id]
      expect(score?.composite_score).toBeGreaterThanOrEqual(score?.score_range.low ?? 0)
      expect(score?.composite_score).toBeLessThanOrEqual(score?.score_range.high ?? 100)
      expect(Object.keys(score?.signal_scores ?? {})).toEqual([
        'account_age',
        'feedback_count',
        'feedback_ratio',
        'price_vs_market',
        'category_history',
      ])
    }
  })

  test('sellers are enriched afterwards: the stream delivers updates with account ages, then done', async () => {
    const { body } = await get(trellis, 'search?q=lens')
    const events = await follow(trellis, body.session_id ?? '')
    const updates = events.filter(({ event }) => event === 'update')
    expect(updates.length).toBeGreaterThan(0)
    expect(
      updates.some(({ data }) => (data.seller as { account_age_days: number | null }).account_age_days !== null),
    ).toBe(true)
    expect(events.at(-1)).toMatchObject({ event: 'done', data: {} })
  })

  test('an asynchronous search answers 202 and streams listings first; a resumed stream repeats nothing', async () => {
    const { status, body } = await get(trellis, 'search/async?q=guitar&max_price=2000')
    expect([status, body.status]).toEqual([202, 'queued'])
    const events = await follow(trellis, body.session_id)
    const names = events.map(({ event }) => event)
    expect(names[0]).toBe('listings')
    expect(names).toContain('market_price')
    expect(names.at(-1)).toBe('done')
    const [first] = events as [Event]
    expect((first.data as unknown as Results).listings.every(({ price }) => price === null || price <= 2_000)).toBe(
      true,
    )
    const rest = await follow(trellis, body.session_id, { 'last-event-id': first.id ?? '' })
    expect(rest.map(({ id }) => id)).toEqual(events.slice(1).map(({ id }) => id))
  })

  test('no title contains an excluded term', async () => {
    const { body } = await get(trellis, 'search?q=camera&must_exclude=lens,body')
    expect(body.listings.length).toBeGreaterThan(0)
    for (const { title } of body.listings) expect(title.toLowerCase()).not.toMatch(/lens|body/)
  })

  test('enriching a seller returns its new score; an unknown seller is 404', async () => {
    const { body } = await get(trellis, 'search?q=watch')
    const [listing] = body.listings as [Listing]
    const query = new URLSearchParams({
      seller: listing.seller_platform_id,
      listing_id: listing.platform_listing_id,
      query: 'watch',
    })
    const enriched = await fetch(`${trellis.origin}/listings/api/enrich?${query}`, { method: 'POST' })
    expect(enriched.status).toBe(200)
    const { seller, trust_score } = (await enriched.json()) as {
      seller: { account_age_days: number }
      trust_score: Score
    }
    expect(seller.account_age_days).toBeGreaterThanOrEqual(0)
    expect(trust_score.signal_scores.account_age).not.toBeNull()
    expect(trust_score.evidence.length).toBeGreaterThan(0)
    const unknown = await fetch(`${trellis.origin}/listings/api/enrich?seller=unknown&listing_id=1`, { method: 'POST' })
    expect(unknown.status).toBe(404)
  })

  test('the health is open, the API document states version 0.1.0, and streams have the specified headers', async () => {
    const health = await fetch(`${trellis.origin}/listings/api/health`)
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
    const document = await (await fetch(`${trellis.origin}/listings/openapi.json`)).json()
    expect((document as { info: { version: string } }).info.version).toBe('0.1.0')
    const { body } = await get(trellis, 'search/async?q=')
    const stream = await fetch(`${trellis.origin}/listings/api/updates/${body.session_id}`)
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(stream.headers.get('cache-control')).toBe('no-cache')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    expect(stream.headers.get('connection')).toBe('keep-alive')
    const text = await stream.text()
    expect(text).toMatch(/^event: listings$/m)
    expect(text).toMatch(/^event: done\ndata: \{\}$/m)
  })

  test('a blank search is empty, an unknown session 404, the API without credentials 503', async () => {
    const { body } = await get(trellis, 'search?q=+')
    expect(body).toMatchObject({ listings: [], trust_scores: {}, sellers: {}, market_price: null, session_id: null })
    expect((await get(trellis, 'updates/00000000-0000-4000-8000-000000000000')).status).toBe(404)
    expect((await get(trellis, 'search?q=x&adapter=api')).status).toBe(503)
    expect((await get(trellis, 'search?q=x&adapter=magic')).status).toBe(422)
  })
})
