import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { clientKeyOf, createClientAddress, readProxies } from './client-address.ts'

const addressOf = createClientAddress(['loopback', '10.0.0.0/8'])
const from = (remoteAddress: string | undefined, forwarded?: string) =>
  addressOf({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage)

test('behind a trusted proxy, the client is the last address that is not a trusted proxy', () => {
  expect(from('127.0.0.1', '203.0.113.7')).toBe('203.0.113.7')
  expect(from('::ffff:10.1.2.3', '198.51.100.1, 203.0.113.7, 10.9.9.9')).toBe('203.0.113.7')
})

test('a client that is not a trusted proxy cannot forge its address', () => {
  expect(from('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7')
  expect(from('127.0.0.1')).toBe('127.0.0.1')
})

test('a client that has reset its connection has no address, whatever its headers', () => {
  expect(from(undefined)).toBe('')
  expect(from(undefined, '203.0.113.7')).toBe('')
})

test('addresses of one IPv6 /64 count as one client', () => {
  expect(clientKeyOf('2001:db8:1:2:3:4:5:6')).toBe(clientKeyOf('2001:db8:1:2::9'))
  expect(clientKeyOf('2001:db8:1:3::9')).not.toBe(clientKeyOf('2001:db8:1:2::9'))
  expect(clientKeyOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(clientKeyOf('::1')).toBe('::1')
})

test('a proxy that is not an address or range is rejected', () => {
  expect(readProxies('loopback, 10.0.0.0/8,2001:db8::/32')).toEqual(['loopback', '10.0.0.0/8', '2001:db8::/32'])
  expect(() => readProxies('nginx')).toThrow(/^must list addresses/)
})
