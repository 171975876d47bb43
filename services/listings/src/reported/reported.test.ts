import { type Cloud, startCloud } from '@trellis/test/support/cloud'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxReported } from './store.ts'

let cloud: Cloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud?.[Symbol.asyncDispose]())

type Headers = Record<string, string>

const reportedBy = async (headers: Headers): Promise<string[]> => {
  const response = await fetch(`${cloud.trellis.origin}/listings/api/reported`, { headers })
  return ((await response.json()) as { reported: string[] }).reported
}
const report = (headers: Headers, sellers: unknown) =>
  fetch(`${cloud.trellis.origin}/listings/api/reported`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ sellers }),
  })
const sellers = (...ids: string[]) => ids.map((id) => ({ platform_seller_id: id }))

describe('reported sellers', () => {
  test('are remembered per user, once each, latest first', async () => {
    const ann = await cloud.user('free', 'ann')
    const first = await report(ann, [{ platform_seller_id: 'a', username: 'Seller A' }])
    expect([first.status, await first.text()]).toEqual([204, ''])
    await report(ann, sellers(' b', 'a', 'b '))
    expect(await reportedBy(ann)).toEqual(['b', 'a'])
    expect(await reportedBy(await cloud.user('free', 'bob'))).toEqual([])
  })

  test('are remembered for a guest, but not for a visitor without a session', async () => {
    const guest = cloud.guest()
    expect((await report(guest, sellers('a'))).status).toBe(204)
    expect(await reportedBy(guest)).toEqual(['a'])
    expect(await reportedBy(cloud.guest())).toEqual([])
    expect((await report({}, sellers('a'))).status).toBe(403)
    expect(await reportedBy({})).toEqual([])
  })

  test.each([
    ['no list', undefined],
    ['a seller without an id', [{ username: 'x' }]],
    ['a seller with an empty id', sellers('')],
    ['a seller with a blank id', sellers('a', ' ')],
    ['more than 500 at once', sellers(...Array.from({ length: 501 }, (_, index) => String(index)))],
  ])('%s is 422', async (_, list) => {
    expect((await report(await cloud.user('free', 'wrong'), list)).status).toBe(422)
  })

  test('an empty list changes nothing', async () => {
    const none = await cloud.user('free', 'none')
    expect((await report(none, [])).status).toBe(204)
    expect(await reportedBy(none)).toEqual([])
    expect((await report({}, [])).status).toBe(403)
  })

  test('beyond the maximum are refused as a whole', async () => {
    const headers = await cloud.user('paid', 'many')
    for (let start = 0; start < maxReported; start += 500)
      await report(headers, sellers(...Array.from({ length: 500 }, (_, index) => `s${start + index}`)))
    expect((await report(headers, sellers('s1', 'new'))).status).toBe(409)
    expect((await report(headers, sellers('s1', 's2'))).status).toBe(204)
    expect(await reportedBy(headers)).toHaveLength(maxReported)
  })
})
