import { readConfig } from '@trellis/kit/config'
import { expect, test } from 'vitest'
import { logsConfig } from './config.ts'

test('without any setting: SERVICE_GLEAN_INTERVAL 900, auto-incidents on, 5 errors within 600 s, no key', () => {
  expect(readConfig(logsConfig, {})).toMatchObject({
    gleanIntervalSeconds: 900,
    autoIncident: true,
    autoIncidentThreshold: 5,
    autoIncidentWindowSeconds: 600,
    apiKey: '',
  })
})
