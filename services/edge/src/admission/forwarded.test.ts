import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { isForwarded } from './forwarded.ts'

type Shown = { peer?: string; host?: string; httpVersion?: string; headers?: Record<string, string> }

const forwarded = ({ peer = '127.0.0.1', host = 'localhost:8080', httpVersion = '1.1', headers = {} }: Shown) =>
  isForwarded({ httpVersion, headers: { host, ...headers }, socket: { remoteAddress: peer } } as IncomingMessage)

test.each<Shown>([
  {},
  { host: '127.0.0.1:8080' },
  { host: '[::1]:8080', peer: '::1' },
  { host: 'trellis.localhost' },
  { host: '192.168.1.5:8080', peer: '::ffff:127.0.0.1' },
  // The address of another machine says by itself that the caller is not on this one.
  { host: 'trellis.example.com', peer: '192.168.1.7' },
])('a request that a program sends directly is not forwarded: %o', (shown) => {
  expect(forwarded(shown)).toBe(false)
})

test.each<Shown>([
  { headers: { 'x-forwarded-for': '127.0.0.1' } },
  { headers: { via: '1.1 proxy' } },
  { httpVersion: '1.0' },
  { host: 'trellis.example.com' },
  { host: 'trellis.example.com', peer: '::ffff:127.0.0.1' },
  { host: 'local host' },
])('a request with a sign of a proxy is forwarded: %o', (shown) => {
  expect(forwarded(shown)).toBe(true)
})
