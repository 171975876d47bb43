import { issueSession, sessionLifetimeSeconds } from '@trellis/kit/credentials'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Route, routes } from '../conformance/document.ts'
import { beforeExpiry } from '../support/before-expiry.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'

const keys = { api: 'api-key-of-this-test', admin: 'admin-key-of-this-test', branch: 'branch-key-of-this-test' }
type Key = keyof typeof keys
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** The key of a route according to the documentation. Batches for a branch need the key of that branch, which is none of `keys`. */
const keyFor = ({ path }: Route): Key | 'open' | 'of the branch' => {
  if (path === '/logs/health') return 'open'
  if (path.startsWith('/logs/api/orchard/')) return 'admin'
  if (path === '/logs/api/glean/batch') return 'branch'
  return path.startsWith('/logs/branches/') ? 'of the branch' : 'api'
}

/** Whether a session suffices: for reads, and to end the session. Other changes need the key. */
const takesSession = ({ method, path }: Route): boolean =>
  method === 'GET' || (method === 'DELETE' && path === '/logs/api/session')

const logsRoutes = routes.filter(({ path }) => path.startsWith('/logs/'))
const named = logsRoutes.map((route) => [`${route.method} ${route.path}`, route] as const)

let trellis: Trellis
beforeAll(async () => {
  trellis = await startTrellis(
    {
      SERVICE_API_KEY: keys.api,
      SERVICE_ORCHARD_ADMIN_KEY: keys.admin,
      SERVICE_BRANCH_KEY: keys.branch,
      // Each route is tried with wrong keys.
      RATE_LIMIT_FAILED_CREDENTIALS: '0',
    },
    { form: 'embedded' },
  )
  const grafted = await fetch(`${trellis.origin}/logs/api/orchard/graft`, {
    method: 'POST',
    headers: { ...bearer(keys.admin), 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'Attic', slug: 'attic' }),
  })
  expect(grafted.status).toBe(201)
})
afterAll(async () => {
  await trellis[Symbol.asyncDispose]()
})

/** Sends a meaningless request, since only the authentication matters. */
const sendTo = async ({ method, path, operation }: Route, headers: Record<string, string> = {}) => {
  const leaving = new AbortController()
  // Only an existing branch has a key; routes that manage branches get an unknown one, because they would delete it.
  const filled = path.replaceAll(/\{\w+\}/g, path.startsWith('/logs/branches/') ? 'attic' : 'unknown')
  const media = Object.keys(operation.requestBody?.content ?? {})
  const isForm = media.includes('multipart/form-data')
  const response = await fetch(`${trellis.origin}${filled}`, {
    method,
    headers: { ...headers, ...(operation.requestBody && !isForm && { 'content-type': 'application/json' }) },
    ...(operation.requestBody && { body: isForm ? new FormData() : '[]' }),
    signal: leaving.signal,
  })
  const { status } = response
  const challenge = response.headers.get('www-authenticate')
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const text = isStream ? '' : await response.text()
  leaving.abort()
  return { status, challenge, text }
}

/** Begins a session and returns its cookie. */
const beginSession = async (): Promise<string> => {
  const headers = { ...bearer(keys.api), 'content-type': 'application/json' }
  const begun = await fetch(`${trellis.origin}/logs/api/session`, { method: 'POST', headers, body: '{}' })
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect(cookie).toMatch(/^logs_session=/)
  return cookie
}

describe('with all keys set', () => {
  test('the document declares the key of every route of the log service', () => {
    for (const route of logsRoutes) {
      const schemes = new Set(route.operation.security?.flatMap((scheme) => Object.keys(scheme)))
      const key = keyFor(route)
      const desired = {
        open: [],
        api: takesSession(route) ? ['bearer', 'logsSession'] : ['bearer'],
        admin: ['adminKey', 'bearer'],
        branch: ['bearer'],
        'of the branch': ['bearer'],
      }
      expect([...schemes].toSorted(), `${route.method} ${route.path}`).toEqual(desired[key])
    }
  })

  test.each(named)('%s accepts only its own key', async (_, route) => {
    const own = keyFor(route)
    const nothing = await sendTo(route)
    if (own === 'open') {
      expect(nothing.status).toBe(200)
      return
    }
    expect(nothing).toMatchObject({ status: 401, challenge: expect.stringMatching(/^Bearer/) })
    for (const key of Object.keys(keys) as Key[]) {
      const { status, text } = await sendTo(route, bearer(keys[key]))
      if (key === own) expect(status, `with the ${key} key`).not.toBe(401)
      else expect(status, `with the ${key} key`).toBe(401)
      expect(status, text).toBeLessThan(500)
      expect(text).not.toContain(keys[key])
    }
    for (const wrong of ['x', `${keys.api}x`, keys.api.slice(1), keys.api.toUpperCase()])
      expect((await sendTo(route, bearer(wrong))).status, wrong).toBe(401)
  })

  test('the session cookie replaces the API key for reads, and no other key', async () => {
    for (const route of logsRoutes) {
      const key = keyFor(route)
      if (key === 'open') continue
      const { status } = await sendTo(route, { cookie: await beginSession() })
      const name = `${route.method} ${route.path}`
      if (key === 'api' && takesSession(route)) expect(status, name).not.toBe(401)
      else expect(status, name).toBe(401)
    }
  })

  test('DELETE ends a session and clears its cookie, and a session cannot start another one', async () => {
    const change = (method: string, headers: Record<string, string>) =>
      fetch(`${trellis.origin}/logs/api/session`, {
        method,
        headers: { ...headers, ...(method === 'POST' && { 'content-type': 'application/json' }) },
        ...(method === 'POST' && { body: '{}' }),
      })
    const begun = await change('POST', bearer(keys.api))
    const issued = begun.headers.get('set-cookie') ?? ''
    expect(issued).toMatch(/^logs_session=\S+; Path=\/logs\/api; HttpOnly; SameSite=Strict; Max-Age=43200$/)
    const cookie = issued.split(';')[0] ?? ''
    // A session cannot renew itself.
    expect((await change('POST', { cookie })).status).toBe(401)
    expect((await change('DELETE', {})).status).toBe(401)
    const ended = await change('DELETE', { cookie })
    expect(ended.status).toBe(204)
    expect(ended.headers.get('set-cookie')).toBe('logs_session=; Path=/logs/api; HttpOnly; SameSite=Strict; Max-Age=0')
  })

  test('an ended session no longer suffices, also if the key ended it, and other sessions are not concerned', async () => {
    const end = async (headers: Record<string, string>) =>
      (await fetch(`${trellis.origin}/logs/api/session`, { method: 'DELETE', headers })).status
    const read = async (headers: Record<string, string>) => {
      const response = await fetch(`${trellis.origin}/logs/api/patterns`, { headers })
      return [response.status, response.ok ? '' : ((await response.json()) as { detail: string }).detail]
    }
    const [one, two, other] = [await beginSession(), await beginSession(), await beginSession()]
    expect(await end({ cookie: one })).toBe(204)
    expect(await end({ cookie: two, ...bearer(keys.api) })).toBe(204)
    for (const cookie of [one, two]) {
      expect(await read({ cookie })).toEqual([401, expect.stringContaining('This session has ended: ')])
      expect(await end({ cookie })).toBe(401)
      expect(await read({ cookie, ...bearer(keys.api) })).toEqual([200, ''])
      expect(await end({ cookie, ...bearer(keys.api) })).toBe(204)
    }
    expect(await read({ cookie: other })).toEqual([200, ''])
  })

  test('a tail ends with the session that opened it, not with the key', async () => {
    const open = (headers: Record<string, string>, signal?: AbortSignal) =>
      fetch(`${trellis.origin}/logs/api/tail`, { headers, ...(signal && { signal }) })
    const leaving = new AbortController()
    const byKey = await open(bearer(keys.api), leaving.signal)
    const bySession = await beforeExpiry((milliseconds) => {
      const session = issueSession(keys.api, Date.now() - sessionLifetimeSeconds * 1_000 + milliseconds)
      return open({ cookie: `logs_session=${session}` })
    })
    const last = (await bySession.text()).trimEnd().split('\n').slice(-2)
    expect(last[0]).toBe('event: failed')
    expect(JSON.parse(last[1]?.slice('data: '.length) ?? '')).toEqual({
      status: 401,
      detail: expect.stringContaining('This session has ended: '),
    })
    expect((await byKey.body?.getReader().read())?.done).toBe(false)
    leaving.abort()
  })
})
