import { expect, test } from 'vitest'
import { refusalOfUrl } from './address-rules.ts'

const everywhere = { blockPrivate: false }
const outsideAlone = { blockPrivate: true }

test.each([
  'http://169.254.169.254/v1',
  'http://[fe80::1]/v1',
  'http://[::ffff:169.254.169.254]/v1',
  'http://[fd00:ec2::254]/',
  'http://2852039166/',
  'ftp://192.0.2.1/',
])('%s is refused', (address) => {
  expect(refusalOfUrl(new URL(address), everywhere)).toBeTypeOf('string')
})

const homes = ['http://127.0.0.1:11434/v1', 'http://192.168.1.7/v1', 'http://[fd12::7]/', 'http://[::ffff:10.0.0.1]/']

test.each([...homes, 'http://localhost/v1', 'http://203.0.113.7/'])('%s is allowed', (address) => {
  expect(refusalOfUrl(new URL(address), everywhere)).toBeUndefined()
})

test.each(homes)('%s is refused where private addresses are', (address) => {
  expect(refusalOfUrl(new URL(address), outsideAlone)).toContain('SERVICE_BLOCK_PRIVATE_UPSTREAMS')
})

test('an address outside is allowed where private ones are not', () => {
  expect(refusalOfUrl(new URL('https://203.0.113.7/'), outsideAlone)).toBeUndefined()
})
