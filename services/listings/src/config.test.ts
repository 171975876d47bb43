import { readConfig } from '@trellis/kit/config'
import { expect, test } from 'vitest'
import { browserSettings, listingsConfig } from './config.ts'

const settings = (environment: NodeJS.ProcessEnv) => browserSettings(readConfig(listingsConfig, environment))
const chromium = { LISTINGS_CHROMIUM: process.execPath }

test('pages are shown in a browser where one is set, those that need it unless it says otherwise', () => {
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

test('a browser that is missing is told at the start, in a sentence', () => {
  expect(() => settings({ LISTINGS_CHROMIUM: '/nowhere/chromium' })).toThrow(
    'LISTINGS_CHROMIUM must name a program that can be run, but is "/nowhere/chromium".',
  )
  expect(() => settings({ MARKETPLACE_RENDER: 'needed' })).toThrow(
    'MARKETPLACE_RENDER is needed, which needs a browser: set LISTINGS_CHROMIUM.',
  )
})
