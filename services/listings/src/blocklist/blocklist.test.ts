import { type Cloud, startCloud } from '@trellis/test/support/cloud'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let cloud: Cloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud?.[Symbol.asyncDispose]())

type Headers = Record<string, string>
type Entry = Record<string, unknown> & { platform_seller_id: string }
type Results = {
  session_id: string
  listings: { platform_listing_id: string; seller_platform_id: string }[]
  trust_scores: Record<string, { composite_score: number; hard_filters: string[]; evidence: { text: string }[] }>
}

const api = (path: string) => `${cloud.trellis.origin}/listings/api/${path}`
const block = (headers: Headers, body: Record<string, unknown>) =>
  fetch(api('blocklist'), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const unblock = (headers: Headers, id: string) =>
  fetch(api(`blocklist/${encodeURIComponent(id)}`), { method: 'DELETE', headers })
const entries = async (headers: Headers = {}): Promise<Entry[]> =>
  ((await (await fetch(api('blocklist'), { headers })).json()) as { entries: Entry[] }).entries
const idsOf = async (headers: Headers = {}) => (await entries(headers)).map(({ platform_seller_id: id }) => id)
const importFile = async (headers: Headers, content: string | Uint8Array<ArrayBuffer>, field = 'file') => {
  const form = new FormData()
  form.append(field, new Blob([content]), 'list.csv')
  const response = await fetch(api('blocklist/import'), { method: 'POST', headers, body: form })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const search = async (headers: Headers): Promise<Results> =>
  (await (await fetch(api('search?q=camera'), { headers })).json()) as Results

describe('the blocklist', () => {
  test('has the sellers that signed-in users add, latest first, for everyone', async () => {
    const added = await block(await cloud.user('free'), { platform_seller_id: 'a', username: 'Seller A' })
    expect(added.status).toBe(201)
    expect(await added.json()).toEqual({
      id: expect.any(Number),
      platform: 'marketplace',
      platform_seller_id: 'a',
      username: 'Seller A',
      reason: null,
      source: 'manual',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
    await block(await cloud.user('paid'), { platform_seller_id: 'b', username: 'B', reason: 'never shipped' })
    for (const headers of [{}, cloud.guest(), await cloud.user('ultra')])
      expect((await idsOf(headers)).slice(0, 2)).toEqual(['b', 'a'])
  })

  test('has a seller once: a new name replaces the old one, but no reason does not replace a reason', async () => {
    const headers = await cloud.user('free')
    const first = (await (
      await block(headers, { platform_seller_id: 'c', username: 'C', reason: 'fake' })
    ).json()) as Entry
    const again = await block(headers, { platform_seller_id: 'c', username: 'C2' })
    expect(again.status).toBe(201)
    expect(await again.json()).toEqual({ ...first, username: 'C2' })
    expect((await idsOf()).filter((id) => id === 'c')).toHaveLength(1)
  })

  test('loses a seller by the id that added it, with spaces around it, too', async () => {
    const headers = await cloud.user('free')
    expect((await block(headers, { platform_seller_id: ' spaced ', username: 'Spaced' })).status).toBe(201)
    expect(await idsOf()).toContain('spaced')
    expect((await unblock(headers, ' spaced ')).status).toBe(204)
    expect(await idsOf()).not.toContain('spaced')
  })

  test('may not be changed by guests and visitors, except that guests may import', async () => {
    for (const headers of [{}, cloud.guest()]) {
      expect((await block(headers, { platform_seller_id: 'x', username: 'X' })).status).toBe(403)
      expect((await unblock(headers, 'a')).status).toBe(403)
    }
    expect((await importFile({}, 'platform_seller_id,username\nx,X')).status).toBe(403)
    expect(await idsOf()).toContain('a')
  })

  test('loses a seller who is removed, and removing an unknown one is 204', async () => {
    const headers = await cloud.user('free')
    await block(headers, { platform_seller_id: 'odd/id ü', username: 'Odd' })
    expect((await unblock(headers, 'odd/id ü')).status).toBe(204)
    expect((await unblock(headers, 'odd/id ü')).status).toBe(204)
    expect(await idsOf()).not.toContain('odd/id ü')
  })

  test('has a seller once for each marketplace, and loses those of one marketplace or of all', async () => {
    const headers = await cloud.user('free')
    for (const platform of [undefined, 'other', 'third'])
      expect((await block(headers, { platform, platform_seller_id: 'p', username: 'P', reason: null })).status).toBe(
        201,
      )
    const platforms = async () =>
      (await entries()).filter(({ platform_seller_id: id }) => id === 'p').map(({ platform }) => platform)
    expect(await platforms()).toEqual(['third', 'other', 'marketplace'])
    const exported = await (await fetch(api('blocklist/export'))).text()
    expect(exported).toContain('\r\nother,p,P,,manual,')
    expect((await fetch(api('blocklist/p?platform=other'), { method: 'DELETE', headers })).status).toBe(204)
    expect(await platforms()).toEqual(['third', 'marketplace'])
    await unblock(headers, 'p')
    expect(await platforms()).toEqual([])
  })

  test('is imported from CSV: good rows are imported, bad ones reported', async () => {
    const headers = await cloud.user('free')
    const text = '\ufeffplatform_seller_id,username,reason\ni1,One,late\n,Two,\ni3,Three,\n'
    expect(await importFile(headers, text)).toEqual({
      status: 201,
      body: { imported: 2, errors: ['Row 3: platform_seller_id is missing.'] },
    })
    expect((await entries()).find(({ platform_seller_id: id }) => id === 'i1')).toMatchObject({
      username: 'One',
      reason: 'late',
      source: 'csv_import',
    })
  })

  test('keeps the reason of a seller who comes again in the same file without one', async () => {
    const text = 'platform_seller_id,username,reason\ntwice,One,late\ntwice,Two,\n'
    await importFile(await cloud.user('free'), text)
    expect((await entries()).filter(({ platform_seller_id: id }) => id === 'twice')).toMatchObject([
      { username: 'Two', reason: 'late' },
    ])
  })

  test.each([
    ['text in another encoding', new Uint8Array([0x61, 0xff, 0xfe]), 400],
    ['text that is not CSV', 'platform_seller_id,username\n"a', 422],
    ['a file of more than 20 MB', new Uint8Array(21 * 1024 * 1024).fill(0x61), 413],
  ])('%s is refused', async (_, content, status) => {
    const { status: actual, body } = await importFile(await cloud.user('free'), content)
    expect({ status: actual, body }).toEqual({ status, body: { detail: expect.anything() } })
  })

  test('a form without a file is 422', async () => {
    expect((await importFile(await cloud.user('free'), 'x', 'other')).status).toBe(422)
  })

  test('of a guest is their own: an import adds to it, and to no other', async () => {
    const [guest, other] = [cloud.guest(), cloud.guest()]
    expect((await importFile(guest, 'platform_seller_id,username\nmine,Mine')).status).toBe(201)
    expect(await idsOf(guest)).toContain('mine')
    for (const headers of [{}, other, await cloud.user('free')]) expect(await idsOf(headers)).not.toContain('mine')
  })

  test('is exported as a CSV download, whose formulas are escaped, and which an import restores', async () => {
    const headers = await cloud.user('free')
    await block(headers, { platform_seller_id: '=1+1', username: '@x', reason: 'a "b",\nc' })
    const response = await fetch(api('blocklist/export'))
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/)
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="listings-blocklist\.csv"/)
    const text = await response.text()
    expect(text.split('\r\n')[0]).toBe('platform,platform_seller_id,username,reason,source,created_at')
    expect(text).toContain(`marketplace,'=1+1,'@x,"a ""b"",\nc",manual,`)
    const before = await entries()
    await unblock(headers, '=1+1')
    expect((await importFile(headers, text)).body).toEqual({ imported: before.length, errors: [] })
    const restored = (await entries()).find(({ platform_seller_id: id }) => id === '=1+1')
    expect(restored).toMatchObject({ username: '@x', reason: 'a "b",\nc' })
    expect(await entries()).toHaveLength(before.length)
  })
})

describe('the listings of a blocked seller', () => {
  test('score 0 with the reason, in searches and where they are read, until the seller is unblocked', async () => {
    const headers = await cloud.user('free', 'scores')
    const before = await search(headers)
    // The sellers that are looked up after the search change scores, too.
    await (await fetch(api(`updates/${before.session_id}`), { headers })).text()
    const [listing] = before.listings.filter(
      ({ platform_listing_id: id }) => (before.trust_scores[id]?.composite_score ?? 0) > 0,
    )
    const { platform_listing_id: id = '', seller_platform_id: seller = '' } = listing ?? {}
    const read = async () => {
      const response = await fetch(api(`listings/${id}`), { headers })
      return ((await response.json()) as { trust_score: Results['trust_scores'][string] }).trust_score
    }
    const was = await read()
    expect(was.composite_score).toBeGreaterThan(0)
    await block(headers, { platform_seller_id: seller, username: seller, reason: 'sold fakes' })
    const blocked = {
      composite_score: 0,
      hard_filters: ['established_bad_actor'],
      soft_flags: [],
      score_range: { low: 0, high: 0 },
      signal_scores: (was as unknown as { signal_scores: unknown }).signal_scores,
    }
    expect(await read()).toMatchObject(blocked)
    expect((await read()).evidence.map(({ text }) => text)).toContain('The seller is on the blocklist: sold fakes')
    expect((await search(headers)).trust_scores[id]).toMatchObject({ composite_score: 0 })
    await unblock(headers, seller)
    expect((await read()).composite_score).toBe(was.composite_score)
  })

  test('score 0 only for the guest who imported the seller', async () => {
    const [guest, other] = [cloud.guest(), cloud.guest()]
    const { listings } = await search(guest)
    const sellers = new Set(listings.map(({ seller_platform_id: id }) => id))
    await importFile(guest, `platform_seller_id,username\n${[...sellers].map((id) => `${id},${id}`).join('\n')}`)
    const scores = async (headers: Headers) =>
      Object.values((await search(headers)).trust_scores).map(({ composite_score: score }) => score)
    expect(Math.max(...(await scores(guest)))).toBe(0)
    expect(Math.max(...(await scores(other)))).toBeGreaterThan(0)
  })
})
