import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { issueSession } from '@trellis/kit/credentials'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveProbe, transports } from '../probe/serve.ts'
import { beforeExpiry } from '../support/before-expiry.ts'

type Served = Awaited<ReturnType<typeof serveProbe>>

const secret = 'a secret of at least thirty-two characters'
const older = 'the secret before it of thirty-two characters'
const guest = '0b7e6a52-9f0b-4d2c-8a55-1f3f0a6f7b11'

const sign = (
  claims: Record<string, unknown>,
  { key = secret, expires = '1h' as string | Date | null, algorithm = 'HS256' } = {},
) => {
  const token = new SignJWT(claims).setProtectedHeader({ alg: algorithm }).setIssuedAt()
  return (expires ? token.setExpirationTime(expires) : token).sign(new TextEncoder().encode(key))
}

/** A licensing service with one paid user. It records its requests, and can be made to fail. */
const serveLicences = async () => {
  const requested: { path: string; authorization: string | undefined; body: Record<string, unknown> }[] = []
  const state = { failing: false }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      const body = JSON.parse(text) as Record<string, unknown>
      requested.push({ path: request.url ?? '', authorization: request.headers.authorization, body })
      response.statusCode = state.failing ? 500 : 200
      response.end(
        JSON.stringify(request.url?.endsWith('resolve') ? { tier: body.user_id === 'ann' ? 'premium' : 'free' } : {}),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requested, state, close: () => server.close() }
}

describe('callers in cloud mode', () => {
  let served: Served
  let licences: Awaited<ReturnType<typeof serveLicences>>

  beforeAll(async () => {
    licences = await serveLicences()
    served = await serveProbe('in process', {
      CLOUD_MODE: '1',
      GATEWAY_JWT_SECRET: `${secret},${older}`,
      LICENSE_URL: licences.url,
      LICENSE_TOKEN: 'licence-token',
    })
  })
  afterAll(async () => {
    await served.close()
    licences.close()
  })

  const who = async (headers: Record<string, string>) => {
    const response = await fetch(`${served.origin}/probe/api/echo/x`, { headers })
    const body = (await response.json()) as { user_id?: string; tier?: string }
    return response.status === 200 ? [body.user_id, body.tier] : response.status
  }

  test('a caller without a session and a guest cookie is anonymous', async () => {
    expect(await who({})).toEqual(['anonymous', 'free'])
  })

  test('only a guest cookie with a valid id makes a guest', async () => {
    expect(await who({ cookie: `listing_guest=${guest}` })).toEqual([`guest:${guest}`, 'free'])
    expect(await who({ cookie: 'listing_guest=../../etc' })).toEqual(['anonymous', 'free'])
  })

  test('a session in a header, a cookie or a forwarded cookie string identifies its user by the claim id', async () => {
    const token = await sign({ id: 'ann', sub: 'not me' })
    expect(await who({ 'x-gateway-session': token })).toEqual(['ann', 'premium'])
    expect(await who({ cookie: `theme=dark; gateway_session=${token}` })).toEqual(['ann', 'premium'])
    expect(
      await who({ 'x-gateway-session': `a=1; gateway_session=${token}`, cookie: `listing_guest=${guest}` }),
    ).toEqual(['ann', 'premium'])
  })

  test('both secrets are accepted during a rotation', async () => {
    expect(await who({ 'x-gateway-session': await sign({ id: 'bob' }, { key: older }) })).toEqual(['bob', 'free'])
  })

  test('the tier is resolved once in five minutes, with the token, after provisioning the user', async () => {
    licences.requested.length = 0
    const token = await sign({ id: 'eve' })
    for (let time = 0; time < 3; time += 1) await who({ 'x-gateway-session': token })
    expect(licences.requested).toEqual([
      {
        path: '/admin/provision',
        authorization: 'Bearer licence-token',
        body: { user_id: 'eve', product: 'listings', tier: 'free' },
      },
      {
        path: '/admin/cloud/resolve',
        authorization: 'Bearer licence-token',
        body: { user_id: 'eve', product: 'listings' },
      },
    ])
  })

  test('a failure of the licensing service yields the tier free', async () => {
    licences.state.failing = true
    expect(await who({ 'x-gateway-session': await sign({ id: 'mallory' }) })).toEqual(['mallory', 'free'])
    licences.state.failing = false
  })

  test.each([
    ['signed with another secret', () => sign({ id: 'ann' }, { key: 'x'.repeat(40) })],
    ['without an id', () => sign({ sub: 'ann' })],
    ['with an empty id', () => sign({ id: '' })],
    ['with an id that no database stores', () => sign({ id: 'ann\0' })],
    ['with the id of a guest', () => sign({ id: `guest:${guest}` })],
    ['with the id of visitors', () => sign({ id: 'anonymous' })],
    ['with the id of the user of local mode', () => sign({ id: 'local' })],
    ['with a number as id that is rounded to that of another user', () => sign({ id: 2 ** 53 })],
    ['without an expiry', () => sign({ id: 'ann' }, { expires: null })],
    ['that has expired', () => sign({ id: 'ann' }, { expires: '-1m' })],
    ['with another algorithm', () => sign({ id: 'ann' }, { algorithm: 'HS512' })],
    [
      'with none',
      async () =>
        `${btoa('{"alg":"none"}').replaceAll('=', '')}.${btoa('{"id":"ann","exp":9999999999}').replaceAll('=', '')}.x`,
    ],
    [
      'without a signature',
      async () =>
        `${btoa('{"alg":"none"}').replaceAll('=', '')}.${btoa('{"id":"ann","exp":9999999999}').replaceAll('=', '')}.`,
    ],
  ])('a token %s is 401', async (_what, token) => {
    expect(await who({ 'x-gateway-session': await token() })).toBe(401)
  })

  test('a malformed token makes an anonymous caller, not an error', async () => {
    for (const value of ['', 'undefined', 'a.b', 'a b.c.d', '{}'])
      expect(await who({ 'x-gateway-session': value })).toEqual(['anonymous', 'free'])
  })
})

describe.each(transports)('a stream of a service %s', (transport) => {
  test('ends with its session, with the reason', async () => {
    const cloud = { CLOUD_MODE: '1', GATEWAY_JWT_SECRET: secret }
    const served = await serveProbe(transport, cloud)
    const stream = await beforeExpiry(async (milliseconds) => {
      const token = await sign({ id: 'ann' }, { expires: new Date(Date.now() + milliseconds) })
      return fetch(`${served.origin}/probe/api/count?to=1&behaviour=forever`, {
        headers: { 'x-gateway-session': token },
      })
    })
    const text = await stream.text()
    expect(text).toContain('event: counted\n')
    expect(text).toMatch(/event: failed\ndata: \{"status":401,"detail":"[^"]*Sign in again\."\}\n\n$/)
    await expect.poll(() => served.state.streamsEnded).toBeGreaterThan(0)
    await served.close()
  })
})

describe('callers in local mode', () => {
  test('every caller is the local user, whatever the session header contains', async () => {
    const served = await serveProbe('in process')
    const response = await fetch(`${served.origin}/probe/api/echo/x`, { headers: { 'x-gateway-session': 'a.b.c' } })
    expect(await response.json()).toMatchObject({ user_id: 'local', tier: 'local' })
    await served.close()
  })
})

describe('keys', () => {
  const statusOf = async (served: Served, path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${served.origin}/probe/api/${path}`, { headers })
    await response.arrayBuffer()
    return response.status
  }

  test('without configured keys, API routes are open and admin routes are 503', async () => {
    const served = await serveProbe('in process')
    expect(await statusOf(served, 'guarded')).toBe(200)
    expect(await statusOf(served, 'administered', { 'x-admin-key': 'x' })).toBe(503)
    await served.close()
  })

  test('API routes accept the API key as a bearer token or by the session cookie, and nothing else', async () => {
    const served = await serveProbe('in process', { SERVICE_API_KEY: 'key-1', SERVICE_ORCHARD_ADMIN_KEY: 'admin-1' })
    const cookie = `logs_session=${issueSession('key-1', Date.now())}`
    expect(await statusOf(served, 'guarded', { authorization: 'Bearer key-1' })).toBe(200)
    expect(await statusOf(served, 'guarded', { authorization: 'bearer key-1' })).toBe(200)
    expect(await statusOf(served, 'guarded', { cookie })).toBe(200)
    for (const headers of [
      {},
      { authorization: 'Bearer key-2' },
      { authorization: 'Basic key-1' },
      { authorization: 'Bearer wrong', cookie },
      { cookie: `logs_session=${issueSession('other', Date.now())}` },
    ]) {
      expect(await statusOf(served, 'guarded', headers as Record<string, string>), JSON.stringify(headers)).toBe(401)
    }
    const refused = await fetch(`${served.origin}/probe/api/guarded`)
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(await refused.json()).toEqual({ detail: expect.stringContaining('API key') })
    await served.close()
  })

  test('admin routes accept the admin key as a bearer token or in its header, but not the API key', async () => {
    const served = await serveProbe('in process', { SERVICE_API_KEY: 'key-1', SERVICE_ORCHARD_ADMIN_KEY: 'admin-1' })
    expect(await statusOf(served, 'administered', { 'x-admin-key': 'admin-1' })).toBe(200)
    expect(await statusOf(served, 'administered', { authorization: 'Bearer admin-1' })).toBe(200)
    expect(await statusOf(served, 'administered', { authorization: 'Bearer key-1' })).toBe(401)
    expect(await statusOf(served, 'administered')).toBe(401)
    const refused = await fetch(`${served.origin}/probe/api/administered`)
    expect(await refused.json()).toEqual({ detail: expect.stringContaining('"X-Admin-Key: <key>"') })
    await served.close()
  })
})
