import { readConfig } from '@trellis/kit/config'
import { expect, test } from 'vitest'
import { listingsConfig } from '../config.ts'
import { searchWorker } from './kind.ts'

test('four searches run concurrently, or as many as configured', () => {
  expect(searchWorker(readConfig(listingsConfig, {})).concurrency).toBe(4)
  expect(searchWorker(readConfig(listingsConfig, { LISTINGS_SEARCH_WORKERS: '9' })).concurrency).toBe(9)
})

test('a worker receives the credentials of the API, and no other secret', () => {
  const { environment } = searchWorker(
    readConfig(listingsConfig, {
      MARKETPLACE_APP_ID: 'app',
      MARKETPLACE_CERT_ID: 'cert',
      ISSUE_TRACKER_API_TOKEN: 'tracker',
      LLM_API_KEY: 'model',
      SMTP_URL: 'smtp://user:password@mail.test',
      COMMUNITY_DB_URL: 'postgres://user:password@community.test/db',
      MARKETPLACE_NOTIFICATION_TOKEN: 'notifications',
    }),
  )
  expect(environment).toMatchObject({ MARKETPLACE_APP_ID: 'app', MARKETPLACE_CERT_ID: 'cert' })
  expect(JSON.stringify(environment)).not.toMatch(/tracker|model|password|notifications/)
})
