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

const later = {
  ISSUE_TRACKER_API_TOKEN: 'secret',
  COMMUNITY_DB_URL: 'postgres://secret',
  MARKETPLACE_NOTIFICATION_TOKEN: 'secret',
  MARKETPLACE_NOTIFICATION_ENDPOINT: 'https://trellis.test/notify',
  MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES: '0',
  DEMO_MODE: '1',
}

test('reserved settings are described with the service, with secrets masked', () => {
  const shown = describeConfig(listingsConfig, readConfig(listingsConfig, later))
  const values = Object.fromEntries(shown.map(({ variable, value }) => [variable, value]))
  expect(values).toMatchObject({
    ISSUE_TRACKER_API_TOKEN: '***',
    COMMUNITY_DB_URL: '***',
    MARKETPLACE_NOTIFICATION_TOKEN: '***',
    MARKETPLACE_NOTIFICATION_ENDPOINT: 'https://trellis.test/notify',
    MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES: false,
    DEMO_MODE: true,
  })
  expect(shown.filter(({ variable }) => variable in later).every(({ isReserved }) => isReserved)).toBe(true)
})

test.each([
  ['DEMO_MODE', 'perhaps'],
  ['MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES', 'sometimes'],
  ['MARKETPLACE_NOTIFICATION_ENDPOINT', 'ftp://trellis.test'],
])('%s with the invalid value "%s" fails the start', (variable, value) => {
  expect(() => readConfig(listingsConfig, { [variable]: value })).toThrow(variable)
})
