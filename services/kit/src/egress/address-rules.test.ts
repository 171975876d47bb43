import { expect, test } from 'vitest'
import { isLocalAddress, refusalOfUrl, webAddress } from './address-rules.ts'

const everywhere = { blockPrivate: false }
const publicOnly = { blockPrivate: true, setting: 'SERVICE_BLOCK_PRIVATE_UPSTREAMS' }

test.each([
  'http://169.254.169.254/v1',
  'http://[fe80::1]/v1',
  'http://[::ffff:169.254.169.254]/v1',
  'http://[fd00:ec2::254]/',
  'http://2852039166/',
  'http://[::169.254.169.254]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[64:ff9b:1:a9fe:a9:fe00::]/',
  'http://[64:ff9b:1::a9fe:a9fe]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[2001:0:a9fe:a9fe::1]/',
  'http://[2001:0:c000:201:0:0:5601:5601]/',
  'http://[2001:db8::5efe:a9fe:a9fe]/',
  'http://[::ffff:0:169.254.169.254]/',
  'http://100.100.100.200/',
  'http://0xa9.0xfe.0xa9.0xfe/',
  'ftp://192.0.2.1/',
  'file:///etc/passwd',
])('%s is rejected', (address) => {
  expect(refusalOfUrl(new URL(address), everywhere)).toBeTypeOf('string')
})

const homes = [
  'http://127.0.0.1:11434/v1',
  'http://192.168.1.7/v1',
  'http://[fd12::7]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[64:ff9b::10.0.0.1]/',
  'http://[2002:c0a8:0101::1]/',
  'http://[::]/',
  'http://0.0.0.0/',
]

test.each([...homes, 'http://localhost/v1', 'http://203.0.113.7/'])('%s is allowed', (address) => {
  expect(refusalOfUrl(new URL(address), everywhere)).toBeUndefined()
})

test.each(homes)('%s is rejected when private addresses are blocked', (address) => {
  expect(refusalOfUrl(new URL(address), publicOnly)).toContain('SERVICE_BLOCK_PRIVATE_UPSTREAMS')
})

test('a public address is allowed when private addresses are blocked', () => {
  expect(refusalOfUrl(new URL('https://203.0.113.7/'), publicOnly)).toBeUndefined()
})

test('public addresses are distinguished from local ones', () => {
  for (const address of ['203.0.113.7', '2001:db8::1', '2606:4700::1111', '64:ff9b::203.0.113.7', '2002:cb00:7107::1'])
    expect(isLocalAddress(address), address).toBe(false)
  for (const address of ['::1', '::', 'fe80::1%eth0', '127.0.0.53', 'fd12::7', '100.64.1.1', '255.255.255.255'])
    expect(isLocalAddress(address), address).toBe(true)
})

test('webAddress accepts only http and https URLs', () => {
  expect(webAddress('/p/1.jpg', 'https://site.test/itm/1')).toBe('https://site.test/p/1.jpg')
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://a/1',
    'nothing',
  ])
    expect(webAddress(address)).toBeUndefined()
})
