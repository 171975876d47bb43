import { Agent, request } from 'node:http'
import { startTrellis, type Trellis } from '@trellis/test/support/trellis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let trellis: Trellis
const apiKey = 'an-api-key'
const withKey = { authorization: `Bearer ${apiKey}` }
const call = (path: string, init: RequestInit = {}) => fetch(`${trellis.origin}/logs/api/${path}`, init)
const notify = (body: string, headers: Record<string, string> = {}) =>
  call('ingest/media-monitor', {
    method: 'POST',
    body,
    headers: { ...withKey, 'content-type': 'application/json', ...headers },
  })
const found = async (q: string) => {
  const response = await call(`search?q=${encodeURIComponent(q)}&source=media-monitor`, { headers: withKey })
  return ((await response.json()) as { entries: Record<string, unknown>[] }).entries
}

beforeAll(async () => {
  trellis = await startTrellis({ SERVICE_API_KEY: apiKey })
})
afterAll(() => trellis?.[Symbol.asyncDispose]())

describe('POST /api/ingest/media-monitor', () => {
  test('stores a payload as an entry under source media-monitor, searchable when the answer comes', async () => {
    const payload = { action: 'buffer', user: 'kim', title: 'Failed Escape', unixtime: '1717634687', percent: 12 }
    const response = await notify(JSON.stringify(payload))
    expect(response.status).toBe(201)
    const entry = (await response.json()) as Record<string, unknown>
    expect(entry).toMatchObject({
      source_id: 'media-monitor',
      severity: 'WARN',
      timestamp_iso: '2024-06-06T00:44:47.000Z',
      fields: payload,
    })
    expect(await found('"failed escape" kim')).toMatchObject([{ entry_id: entry.entry_id, fields: payload }])
  })

  test('accepts a form, as an agent without a JSON content type sends it', async () => {
    const response = await notify('event=error&title=Lost+Reel', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({
      severity: 'CRITICAL',
      fields: { event: 'error', title: 'Lost Reel' },
    })
  })

  test('any other trigger has no severity, whatever the words of its title', async () => {
    const response = await notify('{"action":"play","title":"Fatal Error: Panic"}')
    expect(await response.json()).toMatchObject({ severity: null })
  })

  test('an oversized notification is refused, and its connection remains usable', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { promise, resolve, reject } = Promise.withResolvers<number[]>()
    const statuses: number[] = []
    const send = (body: string, next: () => void) => {
      const headers = { ...withKey, 'content-type': 'application/json', 'content-length': body.length }
      request(`${trellis.origin}/logs/api/ingest/media-monitor`, { method: 'POST', agent, headers }, (response) => {
        statuses.push(response.statusCode ?? 0)
        response.resume().once('end', next)
      })
        .once('error', reject)
        .end(body)
    }
    send(JSON.stringify({ action: 'x'.repeat(3_000_000) }), () => send('{"action":"play"}', () => resolve(statuses)))
    expect(await promise).toEqual([413, 201])
    agent.destroy()
  })

  test('the same notification twice is two entries', async () => {
    const body = '{"action":"stop","title":"Twice Sent","unixtime":1717634687}'
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => ((await (await notify(body)).json()) as { entry_id: string }).entry_id),
    )
    expect(new Set(ids).size).toBe(5)
    expect(await found('"twice sent"')).toHaveLength(5)
  })

  test.each([
    ['invalid JSON', '{"action":', {}, 400],
    ['a list', '[1, 2]', {}, 422],
    ['no fields', '{}', {}, 422],
    ['another media type', '<x/>', { 'content-type': 'application/xml' }, 415],
    ['an oversized body', `{"action":"${'x'.repeat(300_000)}"}`, {}, 413],
  ])('%s is refused', async (_, body, headers, status) => {
    const response = await notify(body, headers)
    expect(response.status).toBe(status)
    const detail =
      status === 422 ? [{ loc: ['body'], msg: expect.any(String), type: 'value_error' }] : expect.any(String)
    expect(await response.json()).toMatchObject({ detail })
  })

  test('optionally requires the header X-Notifier-Token matching the media_monitor_token setting', async () => {
    const set = (token: string) =>
      call('settings', {
        method: 'PATCH',
        body: JSON.stringify({ media_monitor_token: token }),
        headers: { ...withKey, 'content-type': 'application/json' },
      })
    expect((await set('a-token')).status).toBe(200)
    const body = '{"action":"play"}'
    expect((await notify(body)).status).toBe(401)
    const refused = await notify(body, { 'x-notifier-token': 'another' })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe('X-Notifier-Token realm="trellis"')
    expect((await notify(body, { 'x-notifier-token': 'a-token' })).status).toBe(201)
    expect((await notify(body, { 'x-notifier-token': 'a-token', authorization: 'Bearer no' })).status).toBe(401)
    expect((await set('')).status).toBe(200)
    expect((await notify(body)).status).toBe(201)
  })
})
