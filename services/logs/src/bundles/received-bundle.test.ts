import { expect, test } from 'vitest'
import { readBundle } from './received-bundle.ts'

test('what a bundle says of itself is kept as databases hold text: without U+0000, and not cut within a character', () => {
  const label = `${'x'.repeat(499)}🏠`
  const bundle = {
    bundle_version: 1,
    service_version: '1\u0000',
    exported_at: '2026-03-01T09:15:02Z',
    incident: { label, issue_type: 'a\u0000b', severity: '\ud800' },
    entries: [],
  }
  expect(readBundle(JSON.stringify(bundle), { id: '1', sender_key: null, received_at: 0 })).toMatchObject({
    service_version: '1\ufffd',
    label: `${'x'.repeat(499)}\ufffd`,
    issue_type: 'a\ufffdb',
    severity: '\ufffd',
  })
})

const received = { id: 'x', sender_key: null, received_at: 0 }

test.each([
  [{}, 'bundle_version is missing; 1 is the one known here.'],
  [{ bundle_version: 2 }, 'This version is not known here; 1 is.'],
])('of the bundle %j it is said what is wrong with its version', (bundle, msg) => {
  expect(() => readBundle(JSON.stringify(bundle), received)).toThrow(
    expect.objectContaining({ detail: [expect.objectContaining({ loc: ['body', 'bundle_version'], msg })] }),
  )
})
