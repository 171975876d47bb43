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
