import { expect, test } from 'vitest'
import { createOriginRule } from './origin-rule.ts'

const isForeign = createOriginRule({
  publicUrl: 'https://trellis.example/base',
  isAllowed: (url, origin) => url.startsWith('/music/') && origin === 'https://studio.example',
})
type Sent = { origin?: string; site?: string; host?: string; url?: string }
const foreign = ({ origin, site, host = '192.168.1.5:8080', url = '/logs/api/x' }: Sent) =>
  isForeign({ url, headers: { host, ...(origin && { origin }), ...(site && { 'sec-fetch-site': site }) } })

test.each<Sent>([
  {},
  { site: 'same-origin' },
  { site: 'none' },
  { site: 'same-origin', origin: 'null' },
  { origin: 'http://192.168.1.5:8080' },
  { origin: 'https://192.168.1.5:8080' },
  { origin: 'https://box', host: 'BOX:443' },
  { origin: 'http://[::1]:8080', host: '[::1]:8080' },
  { origin: 'https://trellis.example', host: 'upstream:9000' },
  { origin: 'https://studio.example', url: '/music/api/chains' },
  { origin: 'https://studio.example', site: 'cross-site', url: '/music/api/chains' },
])('%j is not from another site', (sent) => {
  expect(foreign(sent)).toBe(false)
})

test.each<Sent>([
  { site: 'cross-site' },
  { site: 'same-site' },
  { site: 'anything' },
  { origin: 'null' },
  { origin: 'null', site: 'cross-site' },
  { origin: 'https://evil.example' },
  { origin: 'http://192.168.1.5:9090' },
  { origin: 'http://192.168.1.5:8080', site: 'cross-site' },
  { origin: 'https://trellis.example.evil' },
  { origin: 'http://trellis.example' },
  { origin: 'file://' },
  { origin: 'https://studio.example' },
  { origin: 'https://studio.example', site: 'same-site' },
])('%j is from another site', (sent) => {
  expect(foreign(sent)).toBe(true)
})
