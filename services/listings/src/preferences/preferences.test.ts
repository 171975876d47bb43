import { type Cloud, startCloud } from '@trellis/test/support/cloud'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let cloud: Cloud
beforeAll(async () => {
  cloud = await startCloud({ MARKETPLACE_AFFILIATE_CAMPAIGN_ID: 'site-campaign' })
})
afterAll(() => cloud?.[Symbol.asyncDispose]())

type Headers = Record<string, string>

const call = async (path: string, init: RequestInit) => {
  const response = await fetch(`${cloud.trellis.origin}/listings/api/${path}`, init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const read = (headers: Headers) => call('preferences', { headers })
const set = (headers: Headers, path: string, value: unknown) =>
  call('preferences', {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ path, value }),
  })

/** The campaign in the links of a search's answer. */
const campaignsOf = async (headers: Headers): Promise<(string | null)[]> => {
  const { body } = await call('search?q=camera', { headers })
  const urls = (body.listings as { url: string }[]).map(({ url }) => new URL(url).searchParams.get('campid'))
  expect(urls.length).toBeGreaterThan(0)
  expect(body.affiliate_active).toBe(true)
  return [...new Set(urls)]
}

describe('preferences', () => {
  test('are empty for a visitor without a session, who may not set any', async () => {
    expect(await read({})).toEqual({ status: 200, body: {} })
    expect((await set({}, 'affiliate.opt_out', true)).status).toBe(403)
  })

  test('are nested by the parts of their paths, set one by one, and cleared with null', async () => {
    const headers = await cloud.user('free', 'nested')
    expect(await read(headers)).toEqual({ status: 200, body: {} })
    const first = await set(headers, 'affiliate.opt_out', true)
    expect(first).toEqual({ status: 200, body: { affiliate: { opt_out: true } } })
    await set(headers, 'display.currency', 'EUR')
    const defaults = '{"min_price":10}'
    const all = { affiliate: { opt_out: true }, display: { currency: 'EUR' }, search: { defaults } }
    expect((await set(headers, 'search.defaults', defaults)).body).toEqual(all)
    expect((await read(headers)).body).toEqual(all)
    expect((await set(headers, 'affiliate.opt_out', null)).body).toEqual({ display: all.display, search: all.search })
  })

  test('belong to one user, or to one guest', async () => {
    const guest = cloud.guest()
    expect((await set(guest, 'display.theme', 'dark')).body).toEqual({ display: { theme: 'dark' } })
    expect((await read(guest)).body).toEqual({ display: { theme: 'dark' } })
    expect((await read(cloud.guest())).body).toEqual({})
    expect((await read(await cloud.user('paid', 'other'))).body).toEqual({})
  })

  test.each([
    ['an unknown path', 'affiliate', true],
    ['a path of the prototype', '__proto__.polluted', true],
    ['a path that every object has', 'constructor', 'x'],
    ['a number', 'affiliate.opt_out', 1],
    ['a string in place of a boolean', 'affiliate.opt_out', 'yes'],
    ['an object', 'search.defaults', { min_price: 10 }],
    ['text that is not JSON', 'search.defaults', '{'],
    ['an unknown theme', 'display.theme', 'pink'],
    ['a currency that is no code', 'display.currency', 'euro'],
    ['a code of no currency', 'display.currency', 'XQQ'],
  ])('%s is 422', async (_, path, value) => {
    const { status, body } = await set(await cloud.user('premium', 'wrong'), path, value)
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc: expect.any(Array), msg: expect.any(String) }])
  })

  test('a campaign of one’s own requires the premium tier', async () => {
    const path = 'affiliate.byok_ids.marketplace'
    for (const headers of [await cloud.user('free'), await cloud.user('paid'), cloud.guest()])
      expect((await set(headers, path, 'own-campaign')).status).toBe(403)
    for (const tier of ['premium', 'ultra'] as const)
      expect((await set(await cloud.user(tier), path, 'own-campaign')).body).toMatchObject({
        affiliate: { byok_ids: { marketplace: 'own-campaign' } },
      })
  })

  test('decide on the campaign in links: the own one, none after an opt-out, that of the installation for guests', async () => {
    const premium = await cloud.user('premium', 'links')
    expect(await campaignsOf(premium)).toEqual(['site-campaign'])
    await set(premium, 'affiliate.byok_ids.marketplace', 'own-campaign')
    expect(await campaignsOf(premium)).toEqual(['own-campaign'])
    await set(premium, 'affiliate.opt_out', true)
    expect(await campaignsOf(premium)).toEqual([null])
    const guest = cloud.guest()
    await set(guest, 'affiliate.opt_out', true)
    expect(await campaignsOf(guest)).toEqual(['site-campaign'])
  })
})
