import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPihole6 } from '../../services/logs/src/blocklist/filters/servers-for-tests.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'

const dnsLog = [
  'Mar  1 09:15:01 dnsmasq[811]: query[A] metrics.example.com from 192.168.1.20',
  'Mar  1 09:15:02 dnsmasq[811]: query[AAAA] metrics.example.com from 192.168.1.20',
  'Mar  1 09:15:03 dnsmasq[811]: forwarded metrics.example.com to 1.1.1.1',
  'Mar  1 09:15:04 dnsmasq[811]: query[A] www.example.org from 192.168.1.21',
  '',
].join('\n')

describe('the six blocklist endpoints', () => {
  let trellis: Trellis
  beforeAll(async () => {
    trellis = await startTrellis()
  })
  afterAll(() => trellis[Symbol.asyncDispose]())

  let turn = 0
  const send = async (method: string, path: string, body?: unknown) => {
    const origin = trellis.origins[turn++ % trellis.origins.length]
    const response = await fetch(`${origin}/logs/api${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, read where a test knows which
    return { status: response.status, body: (await response.json()) as any }
  }

  test('list candidates, trigger scan, update status, push to DNS filter, unblock, test connection', async () => {
    await using filter = await startPihole6('hunter2')
    expect((await send('POST', '/blocklist/test', {})).status).toBe(503)
    const form = new FormData()
    form.append('source_id', 'pihole')
    form.append('file', new Blob([dnsLog]), 'pihole.log')
    await fetch(`${trellis.origin}/logs/api/ingest/upload?wait=true`, { method: 'POST', body: form })
    const settings = { dns_filter_url: filter.url, dns_filter_api_key: 'wrong', device_names: '{"192.168.1.20":"TV"}' }
    expect((await send('PATCH', '/settings', settings)).status).toBe(200)

    expect((await send('POST', '/blocklist/scan', {})).body).toEqual({
      entries_read: 3,
      domains: 2,
      new_candidates: 2,
      is_complete: true,
    })
    const { candidates, total } = (await send('GET', '/blocklist/candidates?status=candidate')).body
    expect(total).toBe(2)
    expect(candidates[0]).toMatchObject({
      domain: 'metrics.example.com',
      status: 'candidate',
      count: 2,
      source_ids: ['pihole'],
      device: 'TV',
      last_error: null,
      first_seen: expect.stringMatching(/-03-01T\d\d:15:01\.000Z$/),
    })
    expect((await send('GET', '/blocklist/candidates?status=nonsense')).status).toBe(422)

    const at = `/blocklist/candidates/${candidates[0].id}`
    expect((await send('POST', `${at}/push`)).status).toBe(409)
    expect((await send('PATCH', at, { status: 'blocked' })).status).toBe(422)
    expect((await send('PATCH', at, { status: 'approved' })).body.status).toBe('approved')
    const failed = await send('POST', `${at}/push`)
    expect(failed).toMatchObject({ status: 502, body: { detail: expect.stringContaining('password incorrect') } })
    expect((await send('POST', '/blocklist/test', {})).status).toBe(502)
    const failedCandidates = (await send('GET', '/blocklist/candidates?status=push_failed')).body.candidates
    expect(failedCandidates).toMatchObject([{ last_error: expect.stringContaining('password incorrect') }])

    expect((await send('PATCH', '/settings', { dns_filter_api_key: 'hunter2' })).status).toBe(200)
    expect((await send('POST', '/blocklist/test', {})).body).toMatchObject({ ok: true })
    expect((await send('POST', `${at}/push`)).body).toMatchObject({ status: 'blocked', last_error: null })
    expect([...filter.denied.keys()]).toEqual(['metrics.example.com'])
    expect((await send('POST', `${at}/unblock`)).body.status).toBe('unblocked')
    expect(filter.denied.size).toBe(0)
    expect((await send('POST', `${at}/unblock`)).status).toBe(409)
    expect((await send('POST', '/blocklist/candidates/nope/push')).status).toBe(404)
    expect(trellis.output()).not.toContain('hunter2')
  })
})
