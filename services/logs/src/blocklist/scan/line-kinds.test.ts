import { expectLinear } from '@trellis/test/support/growth'
import { describe, expect, test } from 'vitest'
import { wordsOf } from '../../segments/tokens.ts'
import { domainOf, isEssential } from './domains.ts'
import { indexWords, lineKinds, sightingOf } from './line-kinds.ts'

describe.each(lineKinds)('lines of $name', ({ samples }) => {
  test.each(samples)('$line', ({ line, domain, client }) => {
    expect(sightingOf(line)).toEqual({ domain, client })
    expect(wordsOf(line).some((word) => indexWords.includes(word))).toBe(true)
  })
})

test.each([
  'Mar  1 09:15:02 dnsmasq[811]: gravity blocked ads.example.com is 0.0.0.0',
  'Mar  1 09:15:02 dnsmasq[811]: forwarded metrics.example.com to 1.1.1.1',
  '{"QH":"ads.example.com","QT":"A","IP":"192.168.1.2","Result":{"IsFiltered":true,"Reason":3}}',
  'Mar  1 09:15:02 garden sshd[811]: Accepted publickey for ann from 192.0.2.7 port 51022 ssh2',
  'GET /index.html HTTP/1.1 200',
  '',
])('%j contains no query that could be blocked', (line) => {
  expect(sightingOf(line)).toBeUndefined()
})

test.each<[string, (length: number) => string]>([
  ['names in quotes', (length) => 'src="1.2.3.4" '.repeat(length / 14)],
  ['addresses', (length) => '1.2.3.4 '.repeat(length / 8)],
  ['a key that starts repeatedly', (length) => `"src_ip":"1.1.1.1"${'"sni'.repeat(length / 4)}`],
  ['colons', (length) => ':'.repeat(length)],
])('a hostile line of %s takes time linear in its length', (what, lineOf) => {
  expectLinear(what, (length) => sightingOf(lineOf(length)))
})

describe('a name', () => {
  test.each([
    ['Metrics.Example.COM.', 'metrics.example.com'],
    ['a.b.example.co.uk', 'a.b.example.co.uk'],
    ['xn--bcher-kva.example.de', 'xn--bcher-kva.example.de'],
    ['_sip._tcp.example.com', '_sip._tcp.example.com'],
    ['me.duckdns.org', 'me.duckdns.org'],
  ])('%s would be blocked as %s', (text, domain) => {
    expect(domainOf(text)).toBe(domain)
  })

  test.each([
    '192.168.1.20',
    'fd12::7',
    '1.168.192.in-addr.arpa',
    'nas',
    'nas.local',
    'nas.lan',
    'nas.home.arpa',
    'x.internal',
    'localhost',
    'bad..example.com',
    `${'a'.repeat(64)}.example.com`,
    'co.uk',
    'com',
    'x.onion',
    'my.fritz.box2',
    '',
    '.',
    'a b.com',
    'http://example.com/',
    'x.example',
    'ex*mple.com',
    `${'a'.repeat(250)}.com`,
  ])('%j is not a public name, or cannot be blocked', (text) => {
    expect(domainOf(text)).toBeUndefined()
  })

  test('is never proposed if systems need it or this service does', () => {
    expect(isEssential('0.debian.pool.ntp.org', [])).toBe(true)
    expect(isEssential('filter.example.com', ['filter.example.com'])).toBe(true)
    expect(isEssential('notntp.org', ['filter.example.com'])).toBe(false)
  })
})
