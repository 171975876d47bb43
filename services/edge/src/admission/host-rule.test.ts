import { expect, test } from 'vitest'
import { createHostRule } from './host-rule.ts'

const refusedHost = createHostRule({
  hosts: ['box', 'Trellis.Home:8080', '*.team.example', '10.9.8.7'],
  publicUrl: 'https://trellis.example/base',
})
const refused = (host: string | undefined, url = '/') => refusedHost({ headers: { host }, url })
const accepts = (host: string | undefined, url = '/') => refused(host, url) === undefined

test.each([
  'localhost',
  'LocalHost:8080',
  'localhost.',
  'app.localhost:1',
  '127.0.0.1:8080',
  '10.9.8.7:80',
  '[::1]:8080',
  '192.168.1.5',
  '8.8.8.8:80',
  '[FE80::1]:8080',
  'box:9000',
  'trellis.home',
  'a.team.example',
  'a.b.team.example:8080',
  'TRELLIS.example.',
])('the host %s is accepted', (host) => {
  expect(accepts(host)).toBe(true)
})

test.each([
  'evil.example',
  'localhost.evil.example',
  'evil-localhost',
  '127.0.0.1.evil.example',
  'team.example',
  'evilteam.example',
  'trellis.example.evil',
  '2130706433',
  '192.168.1.5.example',
  '192.168.1',
  '0x7f.0.0.1',
  'localhost@evil.example',
  'localhost/evil.example',
  'evil.example:localhost',
  '[::1].evil.example',
  '[evil]',
  'a b',
  '',
])('the host "%s" is rejected', (host) => {
  expect(accepts(host)).toBe(false)
})

test('an HTTP/1.0 request without a host is accepted', () => {
  expect(accepts(undefined)).toBe(true)
})

test('the authority of an absolute-form target must be accepted as well', () => {
  expect(refused('localhost', 'http://evil.example/health')).toBe('evil.example')
  expect(refused('evil.example', 'http://localhost/health')).toBe('evil.example')
  expect(accepts('localhost', 'http://127.0.0.1:8080/health')).toBe(true)
  expect(accepts('localhost', '*')).toBe(true)
})

test('"*" accepts every host', () => {
  const rule = createHostRule({ hosts: ['*'], publicUrl: undefined })
  expect(rule({ headers: { host: 'evil.example' }, url: '/' })).toBeUndefined()
})

test.each([
  ['127.0.0.1', 'box.lan', false],
  ['0.0.0.0', 'evil.example', false],
  ['Box.lan', 'box.lan:8080', true],
])('a server that listens on %s accepts the host %s: %s', (address, host, accepted) => {
  const rule = createHostRule({ hosts: [], publicUrl: undefined, listensOn: () => address })
  expect(rule({ headers: { host }, url: '/' }) === undefined).toBe(accepted)
})
