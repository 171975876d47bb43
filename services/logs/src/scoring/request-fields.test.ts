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
  webRequestOf(text, () => describeEntry(origin.format, text).fields)

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
