import { describeConfig, readConfig } from '@trellis/kit/config'
import { expect, test } from 'vitest'
import { browserSettings, listingsConfig } from './config.ts'

const settings = (environment: NodeJS.ProcessEnv) => browserSettings(readConfig(listingsConfig, environment))
const chromium = { LISTINGS_CHROMIUM: process.execPath }

test('a configured browser renders pages that need it, unless MARKETPLACE_RENDER overrides this', () => {
  expect(settings({})).toBeUndefined()
  expect(settings({ MARKETPLACE_RENDER: 'never' })).toBeUndefined()
  expect(settings(chromium)).toEqual({ pages: 'needed', executable: process.execPath, hasSandbox: true })
  expect(settings({ ...chromium, MARKETPLACE_RENDER: 'always', LISTINGS_CHROMIUM_SANDBOX: '0' })).toEqual({
    pages: 'always',
    executable: process.execPath,
    hasSandbox: false,
  })
  expect(settings({ ...chromium, MARKETPLACE_RENDER: 'never' })).toBeUndefined()
})

test('a missing browser fails the start with a readable error', () => {
  expect(() => settings({ LISTINGS_CHROMIUM: '/nowhere/chromium' })).toThrow(
    'LISTINGS_CHROMIUM must name a program that can be run, but is "/nowhere/chromium".',
  )
  expect(() => settings({ MARKETPLACE_RENDER: 'needed' })).toThrow(
    'MARKETPLACE_RENDER is needed, which needs a browser: set LISTINGS_CHROMIUM.',
  )
})

test('the endpoint of notifications is used exactly as it was registered, for its text is part of a digest', () => {
  const endpointOf = (text: string) =>
    readConfig(listingsConfig, { MARKETPLACE_NOTIFICATION_ENDPOINT: text }).notificationEndpoint
  expect(endpointOf('https://trellis.test/deletion/')).toBe('https://trellis.test/deletion/')
  expect(() => endpointOf('trellis.test')).toThrow('must be an address')
})

const secrets = {
  ISSUE_TRACKER_API_TOKEN: 'tracker-token',
  COMMUNITY_DB_URL: 'postgres://trellis:word@community.test/signals',
  MARKETPLACE_NOTIFICATION_TOKEN: 'notification-token',
}

test('the secrets of the tracker, the community database and the notifications are masked', () => {
  const shown = describeConfig(listingsConfig, readConfig(listingsConfig, secrets))
  const values = Object.fromEntries(shown.map(({ variable, value }) => [variable, value]))
  for (const variable of Object.keys(secrets)) expect(values[variable]).toBe('***')
})

test.each(['smtp://mail.test', 'smtp://mail.test:25/?tls=required', 'smtps://ann:word@mail.test?tls=required'])(
  'SMTP_URL may be %s',
  (url) => {
    expect(readConfig(listingsConfig, { SMTP_URL: url }).smtpUrl).toBe(url)
  },
)

test.each([
  ['DEMO_MODE', 'perhaps'],
  ['MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES', 'sometimes'],
  ['MARKETPLACE_NOTIFICATION_ENDPOINT', 'ftp://trellis.test'],
  ['ISSUE_TRACKER_URL', 'tracker'],
  ['ISSUE_TRACKER_REPO', 'team/../admin'],
  ['ISSUE_TRACKER_KIND', 'paper'],
  ['COMMUNITY_DB_URL', 'mysql://community.test/signals'],
  ['SMTP_URL', 'http://mail.test'],
  ['SMTP_URL', 'smtp://mail.test?tls=require'],
  ['SMTP_URL', 'smtp://mail.test?requireTLS=true'],
])('%s with the invalid value "%s" fails the start', (variable, value) => {
  expect(() => readConfig(listingsConfig, { [variable]: value })).toThrow(variable)
})
