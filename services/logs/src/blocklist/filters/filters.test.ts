import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createEgress, type Egress } from '@trellis/kit/egress'
import { canMakeCertificates, createAuthority } from '@trellis/test/support/certificates'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adguardHome } from './adguard-home.ts'
import type { FilterKind } from './dns-filter.ts'
import { pihole5 } from './pihole-5.ts'
import { pihole6 } from './pihole-6.ts'
import { startAdguard, startFixedServer, startPihole5, startPihole6 } from './servers-for-tests.ts'

const { signal } = new AbortController()
let upstream: Egress
beforeAll(() => {
  upstream = createEgress({ blockPrivate: false })
})
afterAll(() => upstream[Symbol.asyncDispose]())

const open = (kind: FilterKind, url: string, key: string, certificate = '') =>
  kind.open({ url, key, certificate, upstream })

describe('Pi-hole 6', () => {
  test('blocks and unblocks with one session, and ends the session on disposal', async () => {
    await using server = await startPihole6('hunter2')
    {
      await using filter = open(pihole6, server.url, 'hunter2')
      expect(await filter.test(signal)).toContain('blocking is enabled')
      await Promise.all([filter.block('ads.example.com', signal), filter.block('more.example.com', signal)])
      expect([...server.denied]).toEqual([
        ['ads.example.com', true],
        ['more.example.com', true],
      ])
      await filter.unblock('ads.example.com', signal)
      expect([...server.denied.keys()]).toEqual(['more.example.com'])
      expect(server.sessions.size).toBe(1)
    }
    expect(server.sessions.size).toBe(0)
    expect(server.seen.filter(({ path, method }) => path === '/api/auth' && method === 'POST')).toHaveLength(1)
  })

  test('blocking is idempotent and enables a disabled rule', async () => {
    await using server = await startPihole6('hunter2')
    await using filter = open(pihole6, server.url, 'hunter2')
    await filter.block('ads.example.com', signal)
    await filter.block('ads.example.com', signal)
    server.denied.set('ads.example.com', false)
    await filter.block('ads.example.com', signal)
    expect([...server.denied]).toEqual([['ads.example.com', true]])
    await filter.unblock('never.example.com', signal)
  })

  test('an expired session is renewed once', async () => {
    await using server = await startPihole6('hunter2')
    await using filter = open(pihole6, server.url, 'hunter2')
    await filter.test(signal)
    server.restart()
    await filter.block('ads.example.com', signal)
    expect(server.denied.size).toBe(1)
  })

  test('without a password it needs no session', async () => {
    await using server = await startPihole6('')
    await using filter = open(pihole6, server.url, 'anything')
    await filter.block('ads.example.com', signal)
    expect(server.denied.size).toBe(1)
  })

  test('no free session (429) is reported with a remedy, and the next request tries again', async () => {
    await using server = await startPihole6('hunter2', { seats: 0 })
    await using filter = open(pihole6, server.url, 'hunter2')
    await expect(filter.test(signal)).rejects.toThrow(/no free session.*API seats exceeded.*max_sessions/)
    await expect(filter.test(signal)).rejects.toThrow('no free session')
  })

  test('a wrong password is reported, without the password', async () => {
    await using server = await startPihole6('hunter2')
    await using filter = open(pihole6, server.url, 'a-wrong-one')
    const error: unknown = await filter.test(signal).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('rejects the key: password incorrect')
    expect(String(error)).not.toContain('a-wrong-one')
  })

  test('refusals quote the filter', async () => {
    await using server = await startPihole6('hunter2')
    await using filter = open(pihole6, server.url, 'hunter2')
    await expect(filter.block('nodot', signal)).rejects.toThrow('Invalid domain nodot (status 400)')
    server.override.reply = {
      status: 500,
      json: { error: { key: 'database', message: 'database is read-only', hint: null } },
    }
    await expect(filter.block('ads.example.com', signal)).rejects.toThrow('database is read-only (status 500)')
  })

  test('a second factor is reported to need an application password', async () => {
    const session = { valid: false, totp: true, sid: null, validity: -1, message: 'no 2FA token' }
    await using server = await startFixedServer({ status: 401, json: { session } })
    await using filter = open(pihole6, server.url, 'hunter2')
    await expect(filter.test(signal)).rejects.toThrow('application password')
  })
})

describe.skipIf(!canMakeCertificates())('the certificate of a filter', () => {
  test('is rejected if self-signed, and accepted if pinned or if any is allowed', async () => {
    await using directory = await temporaryDirectory()
    const { certificateFile, keyFile } = createAuthority(directory.path).issue('pi.hole')
    const certificate = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certificateFile, 'utf8') }
    const pin = new X509Certificate(certificate.cert).fingerprint256
    await using server = await startPihole6('hunter2', { certificate })
    const trying = async (setting: string) => {
      await using filter = open(pihole6, server.url, 'hunter2', setting)
      return await filter.test(signal)
    }
    await expect(trying('')).rejects.toThrow('dns_filter_certificate')
    expect(await trying(pin)).toContain('accepts the key')
    expect(await trying('any')).toContain('accepts the key')
    await expect(trying(pin.replace(/^../, (first) => (first === '00' ? 'ff' : '00')))).rejects.toThrow(
      'not the pinned one',
    )
  })
})

describe('Pi-hole 5', () => {
  test('blocks and unblocks by token, idempotently', async () => {
    await using server = await startPihole5('to/ken+1')
    await using filter = open(pihole5, server.url, 'to/ken+1')
    expect(await filter.test(signal)).toContain('blocking is enabled')
    await filter.block('ads.example.com', signal)
    await filter.block('ads.example.com', signal)
    expect([...server.denied]).toEqual(['ads.example.com'])
    await filter.unblock('ads.example.com', signal)
    await filter.unblock('ads.example.com', signal)
    expect(server.denied.size).toBe(0)
    await expect(filter.block('nodot', signal)).rejects.toThrow('nodot is not a valid domain')
  })

  test('a wrong token is recognized by the body of its 200, and appears in no message', async () => {
    await using server = await startPihole5('right')
    await using filter = open(pihole5, server.url, 'to/ken+1')
    for (const request of [filter.test(signal), filter.block('ads.example.com', signal)]) {
      const error: unknown = await request.catch((thrown: unknown) => thrown)
      expect(String(error)).toContain('rejects the token')
      expect(String(error)).not.toMatch(/to\/ken|to%2Fken/)
    }
  })
})

describe('AdGuard Home', () => {
  const key = 'admin:pass:word'

  test('adds a rule to the existing ones, verifies it, and removes only that one', async () => {
    await using server = await startAdguard('admin', 'pass:word')
    await using filter = open(adguardHome, server.url, key)
    expect(await filter.test(signal)).toBe(
      'AdGuard Home v0.107.52 accepts the user and password; protection is enabled.',
    )
    await filter.block('ads.example.com', signal)
    expect(server.state.rules).toEqual(['! by hand', '||old.example^', '||ads.example.com^'])
    await filter.block('ads.example.com', signal)
    expect(server.state.rules).toHaveLength(3)
    expect(server.seen.some(({ path }) => path === '/control/filtering/check_host')).toBe(true)
    await filter.unblock('ads.example.com', signal)
    await filter.unblock('ads.example.com', signal)
    expect(server.state.rules).toEqual(['! by hand', '||old.example^'])
  })

  test('a list that was never written is empty', async () => {
    await using server = await startAdguard('admin', 'pass:word')
    server.state.rules = null
    await using filter = open(adguardHome, server.url, key)
    await filter.block('ads.example.com', signal)
    expect(server.state.rules).toEqual(['||ads.example.com^'])
  })

  test('a rule that another client overwrites is added again, and reported as lost after the last try', async () => {
    await using server = await startAdguard('admin', 'pass:word')
    await using filter = open(adguardHome, server.url, key)
    server.state.overwritten = 2
    await filter.block('ads.example.com', signal)
    expect(server.state.rules).toContain('||ads.example.com^')
    server.state.overwritten = 100
    await expect(filter.block('more.example.com', signal)).rejects.toThrow('lost the change')
  })

  test('a rule without effect is reported', async () => {
    await using server = await startAdguard('admin', 'pass:word')
    server.state.reason = 'NotFilteredWhiteList'
    await using filter = open(adguardHome, server.url, key)
    await expect(filter.block('ads.example.com', signal)).rejects.toThrow('NotFilteredWhiteList')
  })

  test('a wrong password is reported, without the password', async () => {
    await using server = await startAdguard('admin', 'right')
    await using filter = open(adguardHome, server.url, key)
    const error: unknown = await filter.test(signal).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('rejects the user and password')
    expect(String(error)).not.toContain('pass:word')
  })
})

describe.each([
  ['Pi-hole 6', pihole6, 'hunter2'],
  ['Pi-hole 5', pihole5, 'hunter2'],
  ['AdGuard Home', adguardHome, 'me:hunter2'],
] as const)('a server that is not %s', (_, kind, key) => {
  test.each([
    { status: 200, text: '<html><body>Welcome to nginx</body></html>' },
    { status: 404, text: 'not found' },
    { status: 502, text: '' },
    { status: 200, json: { hello: 'there' } },
    { status: 200, json: null },
    { status: 200, text: `your key is ${'hunter2'}` },
  ])('with the response %j is a failure that quotes it and contains no secret', async (reply) => {
    await using server = await startFixedServer(reply)
    await using filter = open(kind, server.url, key)
    const error: unknown = await filter.block('ads.example.com', signal).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'FilterFailure' })
    expect(String(error)).not.toContain('hunter2')
  })

  test('that is unreachable is reported', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    await using filter = open(kind, `http://127.0.0.1:${port}`, key)
    await expect(filter.test(signal)).rejects.toThrow(/cannot be reached: .*ECONNREFUSED/)
  })
})
