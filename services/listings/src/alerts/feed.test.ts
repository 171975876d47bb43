import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { atomFeed, escapeXml } from './feed.ts'
import type { AlertRow } from './tables.ts'

const alert = (change: Partial<AlertRow> = {}): AlertRow => ({
  id: 7,
  user_id: 'ann',
  kind: 'price_drop',
  saved_search_id: 1,
  saved_search_name: 'Lenses & more',
  platform: 'marketplace',
  platform_listing_id: '1',
  title: 'Lens <50mm> "f/1.8" & hood\u0000\u000b ]]> \ud800',
  url: 'https://site.test/itm/1?a=1&b="2"',
  photo_url: null,
  seller_platform_id: 'ada',
  price: 90,
  currency: 'USD',
  price_before: 100,
  buying_format: 'fixed_price',
  ends_at: null,
  composite_score: 80,
  score_is_partial: 0,
  created_at: '2026-03-01T09:15:02.000Z',
  dismissed_at: null,
  snoozed_until: null,
  ...change,
})
const place = {
  userId: 'ann',
  address: 'https://trellis.test/listings/api/alerts/feed?token=a&b=1',
  since: '2026-01-01T00:00:00.000Z',
}

const parse = (body: Buffer) => {
  const text = body.toString()
  expect(XMLValidator.validate(text)).toBe(true)
  const parser = new XMLParser({ ignoreAttributes: false, htmlEntities: true, isArray: (name) => name === 'entry' })
  return parser.parse(text).feed
}

test('an XML parser reads from the feed what was written, without the characters that XML excludes', () => {
  const feed = parse(atomFeed(place, [alert()]).body)
  expect(feed).toMatchObject({
    '@_xmlns': 'http://www.w3.org/2005/Atom',
    updated: '2026-03-01T09:15:02.000Z',
    link: { '@_rel': 'self', '@_href': place.address },
    entry: [
      {
        title: 'Price drop: Lens <50mm> "f/1.8" & hood ]]> \ufffd',
        updated: '2026-03-01T09:15:02.000Z',
        link: { '@_rel': 'alternate', '@_href': 'https://site.test/itm/1?a=1&b="2"' },
        summary: '90.00 USD, before 100.00 USD. Trust score 80 of 100. Saved search: Lenses & more.',
      },
    ],
  })
})

test('entries and feeds of different users and alerts have different ids, which are UUIDs', () => {
  const ids = [alert(), alert({ id: 8 }), alert({ user_id: 'bob' })].map(
    (one) => parse(atomFeed(place, [one]).body).entry[0].id,
  )
  const form = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  expect([new Set(ids).size, ids.every((id) => form.test(id))]).toEqual([3, true])
})

test('a feed without alerts is valid and has a time', () => {
  expect(parse(atomFeed(place, []).body)).toMatchObject({ updated: place.since, title: 'Alerts of saved searches' })
})

test('the same alerts have the same ETag, and others another', () => {
  const etags = [[alert()], [alert()], [alert({ price: 80 })], []].map((alerts) => atomFeed(place, alerts).etag)
  expect(etags[0]).toBe(etags[1])
  expect(new Set(etags).size).toBe(3)
})

test('markup is escaped', () => {
  expect(escapeXml(`<a href='x'>&amp;"`)).toBe('&lt;a href=&#39;x&#39;&gt;&amp;amp;&quot;')
})
