import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Route, routes } from '../conformance/document.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'

const keys = { api: 'api-key-of-this-test', admin: 'admin-key-of-this-test', branch: 'branch-key-of-this-test' }
type Key = keyof typeof keys
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Which key opens a route, by the rules that users are told; a branch's batches ask for the key of that branch, which is none of these. */
const keyFor = ({ path }: Route): Key | 'open' | 'of the branch' => {
  if (path === '/logs/health') return 'open'
  if (path.startsWith('/logs/api/orchard/')) return 'admin'
  if (path === '/logs/api/glean/batch') return 'branch'
  return path.startsWith('/logs/branches/') ? 'of the branch' : 'api'
}

/** A session reads, and can be ended; whatever else changes something needs the key. */
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

/** Asks with nothing that makes sense: what counts is whether the door opens. */
const ask = async ({ method, path, operation }: Route, headers: Record<string, string> = {}) => {
  const leaving = new AbortController()
  // Only a branch that exists has a key; those that manage it would end it.
  const filled = path.replaceAll(/\{\w+\}/g, path.startsWith('/logs/branches/') ? 'attic' : 'nobody')
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

describe('with all keys set', () => {
  test('the document tells of every route of the log service which key it asks for', () => {
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

  test.each(named)('%s lets in its own key and no other', async (_, route) => {
    const own = keyFor(route)
    const nothing = await ask(route)
    if (own === 'open') {
      expect(nothing.status).toBe(200)
      return
    }
    expect(nothing).toMatchObject({ status: 401, challenge: expect.stringMatching(/^Bearer/) })
    for (const key of Object.keys(keys) as Key[]) {
      const { status, text } = await ask(route, bearer(keys[key]))
      if (key === own) expect(status, `with the ${key} key`).not.toBe(401)
      else expect(status, `with the ${key} key`).toBe(401)
      expect(status, text).toBeLessThan(500)
      expect(text).not.toContain(keys[key])
    }
    for (const wrong of ['x', `${keys.api}x`, keys.api.slice(1), keys.api.toUpperCase()])
      expect((await ask(route, bearer(wrong))).status, wrong).toBe(401)
  })

  test('the cookie of a session stands in for the API key where something is read, and for no other', async () => {
    const response = await fetch(`${trellis.origin}/logs/api/session`, {
      method: 'POST',
      headers: { ...bearer(keys.api), 'content-type': 'application/json' },
      body: '{}',
    })
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(cookie).toMatch(/^logs_session=/)
    for (const route of logsRoutes) {
      const key = keyFor(route)
      if (key === 'open') continue
      const { status } = await ask(route, { cookie })
      const name = `${route.method} ${route.path}`
      if (key === 'api' && takesSession(route)) expect(status, name).not.toBe(401)
      else expect(status, name).toBe(401)
    }
  })

  test('a session is ended by DELETE, which takes its cookie from the browser; neither works without one or the key', async () => {
    const change = (method: string, headers: Record<string, string>) =>
      fetch(`${trellis.origin}/logs/api/session`, {
        method,
        headers: { ...headers, ...(method === 'POST' && { 'content-type': 'application/json' }) },
        ...(method === 'POST' && { body: '{}' }),
      })
    const begun = await change('POST', bearer(keys.api))
    const given = begun.headers.get('set-cookie') ?? ''
    expect(given).toMatch(/^logs_session=\S+; Path=\/logs\/api; HttpOnly; SameSite=Strict; Max-Age=43200$/)
    const cookie = given.split(';')[0] ?? ''
    // It makes no other: a session lasts as long as it was given for.
    expect((await change('POST', { cookie })).status).toBe(401)
    expect((await change('DELETE', {})).status).toBe(401)
    const ended = await change('DELETE', { cookie })
    expect(ended.status).toBe(204)
    expect(ended.headers.get('set-cookie')).toBe('logs_session=; Path=/logs/api; HttpOnly; SameSite=Strict; Max-Age=0')
  })
})
