import { expect, onTestFinished, test, vi } from 'vitest'
import { readBundle } from './received-bundle.ts'

test('texts of a bundle are stored in a form that databases accept: without U+0000 and lone surrogates', () => {
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
  [{}, 'bundle_version is missing; the supported version is 1.'],
  [{ bundle_version: 2 }, 'This version is not supported; the supported version is 1.'],
])('the bundle %j is refused with the problem of its version', (bundle, msg) => {
  expect(() => readBundle(JSON.stringify(bundle), received)).toThrow(
    expect.objectContaining({ detail: [expect.objectContaining({ loc: ['body', 'bundle_version'], msg })] }),
  )
})

const exportedAt = (exported_at: unknown) =>
  JSON.stringify({ bundle_version: 1, exported_at, incident: { label: 'x' }, entries: [] })

test.each([undefined, 5, '', '5', 'March 2026', '+200000-01-01T00:00:00Z', '1960-03-01', '2026-02-30T09:15:02Z'])(
  'a bundle that was exported at %j is refused',
  (time) => {
    expect(() => readBundle(exportedAt(time), received)).toThrow(
      expect.objectContaining({ detail: [expect.objectContaining({ loc: ['body', 'exported_at'] })] }),
    )
  },
)

test('the time of an export without a zone is in UTC', () => {
  vi.stubEnv('TZ', 'America/New_York')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(readBundle(exportedAt('2026-03-01T09:15:02'), received).bundled_at).toBe(Date.parse('2026-03-01T09:15:02Z'))
})
