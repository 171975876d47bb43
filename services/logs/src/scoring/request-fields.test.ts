import { describe, expect, test } from 'vitest'
import type { StoredEntry } from '../entries/entry.ts'
import { activeUserFormats, useFormats } from '../formats/active-formats.ts'
import { describeEntry } from '../formats/describe-entry.ts'
import { logFormats } from '../formats/library/mod.ts'
import { requestFieldsOf } from './request-fields.ts'
import { entryForTests } from './security-for-tests.ts'
import { webRequestOf } from './web-request.ts'

const ofFormat = (format: string, text: string): StoredEntry => {
  const entry = entryForTests(text)
  return { ...entry, origin: { ...entry.origin, format } }
}
const requestByAllFields = ({ origin, text }: StoredEntry) =>
  webRequestOf(text, () => describeEntry(origin.format, text))

describe('the request described by the fields that are read', () => {
  test('equals the one described by all fields of the entry, for every sample of every format', () => {
    const entries = logFormats.flatMap(({ name, samples }) => samples.map(({ line }) => ofFormat(name, line)))
    const differing = entries.filter((entry) => {
      const [found, expected] = [webRequestOf(entry.text, () => requestFieldsOf(entry)), requestByAllFields(entry)]
      return JSON.stringify(found) !== JSON.stringify(expected)
    })
    expect(differing.map(({ text }) => text)).toEqual([])
  })

  test.each([
    ['an object', 'Jun  4 15:16:01 attic web[7]: {"client_ip":"192.0.2.7","method":"GET","path":"/a","status":404}'],
    ['pairs', 'Jun  4 15:16:01 attic web[7]: client_ip=192.0.2.7 method=GET path=/a status=404'],
  ])('is found in the message of a syslog line: %s', (_, text) => {
    const entry = ofFormat('syslog-rfc3164', text)
    expect(webRequestOf(text, () => requestFieldsOf(entry))).toMatchObject({
      client: '192.0.2.7',
      path: '/a',
      status: 404,
    })
    expect(webRequestOf(text, () => requestFieldsOf(entry))).toEqual(requestByAllFields(entry))
  })

  test('is that of a client with an IPv6 address, which HAProxy does not separate from the port', () => {
    const text =
      'Feb  9 08:15:30 attic haproxy[77]: 2001:db8::7:40022 [09/Feb/2024:08:15:30.655] www app/web2 10/0/30/69/109 401 2750 - - ---- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"'
    const entry = ofFormat('syslog-rfc3164', text)
    expect(webRequestOf(text, () => requestFieldsOf(entry))).toMatchObject({ client: '2001:db8::7', status: 401 })
  })

  const client = '192.0.2.7'
  const line = `${client} - - [09/Feb/2024:08:15:30 +0000] "GET /a HTTP/1.1" 404 7 "-" "curl/8"`
  test.each([
    ['an access log in the log of a container', 'json-docker', JSON.stringify({ log: `${line}\n`, stream: 'stdout' })],
    ['an access log behind the header of syslog', 'syslog-rfc3164', `<190>Feb  9 08:15:30 attic nginx: ${line}`],
    ['an access log of a host that is an address', 'syslog-rfc3164', `Feb  9 08:15:30 198.51.100.2 nginx[7]: ${line}`],
    ['a client with a port', 'plain', `INFO:     ${client}:40022 - "GET /a HTTP/1.1" 404 Not Found`],
    [
      'a request line in JSON',
      'json',
      `{"time":"2024-02-09T08:15:30Z","remote_addr":"${client}","request":"GET /a HTTP/1.1","status":"404"}`,
    ],
    [
      'a proxy that logs the status first',
      'haproxy',
      `${client}:40022 [09/Feb/2024:08:15:30.655] www app/web2 10/0/30/69/109 404 2750 - - ---- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"`,
    ],
    [
      'that proxy behind the header of syslog',
      'syslog-rfc3164',
      `Feb  9 08:15:30 attic haproxy[77]: ${client}:40022 [09/Feb/2024:08:15:30.655] www app/web2 10/0/30/69/109 404 2750 - - ---- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"`,
    ],
    [
      'a proxy that logs the client last',
      'nginx-proxy-manager',
      `[09/Feb/2024:08:15:30 +0100] - 404 404 - GET https wiki.example.net "/a" [Client ${client}] [Length 154] [Gzip -] [Sent-to 10.0.0.4] "curl/8.5.0" "-"`,
    ],
    [
      'the web server of Windows',
      'iis',
      `2024-02-09 08:15:30 10.0.0.5 GET /a - 443 - ${client} Mozilla/5.0+(X11) - 404 2 5 15`,
    ],
  ])('is found in %s', (_, format, text) => {
    const entry = ofFormat(format, text)
    expect(webRequestOf(text, () => requestFieldsOf(entry))).toMatchObject({
      client,
      method: 'GET',
      path: '/a',
      status: 404,
    })
  })

  test('is found after a format was added or changed, even if it described none before', () => {
    const before = activeUserFormats()
    const text = '~192.0.2.7 /a 404'
    const use = (version: number, pattern: RegExp) =>
      useFormats({ version, formats: [{ kind: 'pattern', name: 'own', pattern, joins: 'never', samples: [] }] })
    const entry = ofFormat('own', text)
    try {
      expect(requestFieldsOf(entry)).toBeNull()
      use(1_000_001, /^~(?<message>.*)/)
      expect(requestFieldsOf(entry)).toBeNull()
      use(1_000_002, /^~(?<client>\S+) (?<path>\S+) (?<status>\d+)/)
      expect(webRequestOf(text, () => requestFieldsOf(entry))).toMatchObject({ client: '192.0.2.7', status: 404 })
    } finally {
      useFormats(before)
    }
  })
})
