import { expectLinear } from '@trellis/test/support/growth'
import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { replaceAddresses } from './addresses.ts'
import { createAnonymizer, type IdentifiableEntry } from './anonymize-entry.ts'
import { createPseudonyms, isPseudonym, type Pseudonyms } from './pseudonyms.ts'
import { namePatterns, replaceUsernames } from './usernames.ts'

const key = Buffer.alloc(32, 7)
const anonymizeEntry = <Entry extends IdentifiableEntry>(entry: Entry, pseudonyms: Pseudonyms) =>
  createAnonymizer(pseudonyms)(entry)
const fresh = () => createPseudonyms(key)
const tokens = (text: string) => text.match(/(?:ip4|ip6|mac|email|user)-[0-9a-f]{12}/g) ?? []
const addressed = (text: string) => replaceAddresses(text, fresh())

describe('addresses', () => {
  test.each([
    ['from 192.0.2.7 port 22', 'ip4'],
    ['from 192.0.2.7.', 'ip4'],
    ['peer=192.0.2.7:443', 'ip4'],
    ['route 192.0.2.0/24', 'ip4'],
    ['[2001:db8::7]:443', 'ip6'],
    ['from 2001:db8:0:0:0:0:0:7', 'ip6'],
    ['source:2001:db8::7 replied', 'ip6'],
    ['fe80::1%eth0 up', 'ip6'],
    ['::1 is here', 'ip6'],
    ['ends with 2001:db8::7.', 'ip6'],
    ['device 00:1B:44:11:3a:b7 joined', 'mac'],
    ['device 00-1b-44-11-3a-b7 joined', 'mac'],
    ['device 001b.4411.3ab7 joined', 'mac'],
    ['to=<ann.lee@mail.example.com>, relay', 'email'],
    ["'ann@example.com' was refused", 'email'],
    ["from o'neil@example.com", 'email'],
  ])('%s: one %s', (text, kind) => {
    const found = tokens(addressed(text))
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(new RegExp(`^${kind}-`))
  })

  test.each([
    'at 09:15:02 and 2026-03-01T09:15:02.000Z',
    'std::string Foo::Bar::baz',
    'version 1.2.3',
    'oid 1.3.6.1.4.1.9',
    '300.1.2.3 and 1.2.3.4.5',
    'uuid 123e4567-e89b-12d3-a456-426614174000',
    'a ratio of 3:4:5',
    'mail@ @home ann@localhost',
  ])('%s: none', (text) => {
    expect(addressed(text)).toBe(text)
  })

  test.each([
    ["dave.o'neil+x@mail.example.co.uk", ''],
    ['a!b#c$d&e*f^g~h@example.com', ''],
    ["'ann@example.com'", "''"],
    ["to='ann@example.com'", "to=''"],
    ['**ann@example.com**', '****'],
  ])('of %s only the surroundings remain', (text, rest) => {
    expect(addressed(text).replace(/email-[0-9a-f]{12}/, '')).toBe(rest)
  })

  test('one address in several notations has one pseudonym', () => {
    const of = (text: string) => tokens(addressed(text))[0]
    expect(of('2001:DB8::7')).toBe(of('2001:db8:0:0:0:0:0:7'))
    expect(of('::ffff:192.0.2.7')).toBe(of('192.0.2.7'))
    expect(of('00:1B:44:11:3A:B7')).toBe(of('00-1b-44-11-3a-b7'))
    expect(of('192.0.2.7')).not.toBe(of('192.0.2.8'))
  })

  test('no address remains, in any form and any surroundings', () => {
    const before = fc.constantFrom('', ' ', '"', '=', '[', '(', ', ', 'peer ', '/', ';')
    const after = fc.constantFrom('', ' ', '"', ']', ')', ', ', '/', ';', '. ')
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.emailAddress()), before, after, (address, front, end) => {
        fc.pre(address !== '::' && !/[/=?`{|}]|^[!#$&'*^~]/.test(address))
        const replaced = addressed(`${front}${address}${end}`)
        expect(replaced).not.toContain(address)
        expect(tokens(replaced)).toHaveLength(1)
      }),
      propertyRuns(3_000),
    )
  })
})

describe('user names', () => {
  test.each(namePatterns.flatMap(({ samples }) => Object.entries(samples)))('%s', (text, names) => {
    const pseudonyms = fresh()
    const replaced = replaceUsernames(text, pseudonyms)
    expect(tokens(replaced).toSorted()).toEqual(names.map((name) => pseudonyms.of('user', name)).toSorted())
    for (const name of names) expect(replaced).not.toMatch(new RegExp(`\\b${name}\\b`))
    if (names.length === 0) expect(replaced).toBe(text)
  })
})

describe('an entry', () => {
  test('a known user name is replaced everywhere, but not within other words', () => {
    const pseudonyms = fresh()
    const carol = pseudonyms.of('user', 'carol')
    expect(replaceUsernames('again carol from caroline, user=carol', pseudonyms)).toBe(
      `again ${carol} from caroline, user=${carol}`,
    )
  })

  const origin = { sourceId: 'ssh:192.0.2.7:nginx', branch: 'garden', tenantId: null, format: 'plain' }

  test('replaces every name in text, fields and source, and is marked', () => {
    const pseudonyms = fresh()
    const { entry, isChanged } = anonymizeEntry(
      {
        origin,
        text: 'Accepted password for ann from 192.0.2.7 port 22',
        sender: { fields: { user: 'ann', peers: [{ ip: '192.0.2.7' }], ms: 3 }, entryId: 'mine' },
      },
      pseudonyms,
    )
    const [user, address] = [pseudonyms.of('user', 'ann'), pseudonyms.of('ip4', '192.0.2.7')]
    expect(isChanged).toBe(true)
    expect(entry).toEqual({
      origin: { ...origin, sourceId: `ssh:${address}:nginx`, anonymized: true },
      text: `Accepted password for ${user} from ${address} port 22`,
      sender: { fields: { user, peers: [{ ip: address }], ms: 3 }, entryId: 'mine' },
    })
    expect(pseudonyms.counts()).toEqual({ addresses: 1, usernames: 1 })
  })

  test('without names is marked, and otherwise unchanged', () => {
    const plain = { origin: { ...origin, sourceId: 'garden' }, text: 'the pump runs', sender: null }
    expect(anonymizeEntry(plain, fresh())).toEqual({
      isChanged: false,
      entry: { ...plain, origin: { ...plain.origin, anonymized: true } },
    })
  })

  test('anonymizing is idempotent, and depends on the key', () => {
    const texts = fc.stringMatching(/^[a-z0-9.:@=/ "-]{0,60}$/)
    const once = (text: string, own = key) => anonymizeEntry({ origin, text }, createPseudonyms(own)).entry.text
    fc.assert(
      fc.property(texts, fc.ipV4(), fc.stringMatching(/^[a-z]{2,8}$/), (text, address, name) => {
        const whole = `${text} ${address} user=${name}`
        expect(once(once(whole))).toBe(once(whole))
        expect(once(whole)).not.toBe(once(whole, Buffer.alloc(32, 8)))
      }),
      propertyRuns(2_000),
    )
  })

  test('a hostile text takes time linear in its length', () => {
    for (const piece of ['a', 'f:', '1.', 'user=', 'a.b@', '0-', '://', '/home/', ' by ', '(to x) '])
      expectLinear(piece, (length) =>
        anonymizeEntry({ origin, text: piece.repeat(Math.floor(length / piece.length)) }, fresh()),
      )
  })

  test('pseudonyms are distinguished from other words', () => {
    expect(isPseudonym(fresh().of('user', 'ann'))).toBe(true)
    expect(isPseudonym('user-ann')).toBe(false)
  })
})
