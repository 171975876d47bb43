import { ConfigError } from '@trellis/kit/config'
import { expect, test } from 'vitest'
import { printOperatorConfig, readOperatorConfig } from './config.ts'

const min = { NATS_URL: 'nats:4222', TRELLIS_WORKERS: 'workers.json' }

test.each([
  [{}, ['default']],
  [{ POD_NAMESPACE: 'trellis' }, ['trellis']],
  [{ POD_NAMESPACE: 'trellis', WATCH_NAMESPACES: 'one, two,one' }, ['trellis', 'one', 'two']],
])('settings %o watch the namespaces %o', (settings, namespaces) => {
  expect(readOperatorConfig({ ...min, ...settings }).namespaces).toEqual(namespaces)
})

test.each([
  [{ TRELLIS_WORKERS: undefined }, 'TRELLIS_WORKERS'],
  [{ NATS_URL: undefined }, 'NATS_URL'],
  [{ MAXIMUM_RUNS: '0' }, 'MAXIMUM_RUNS'],
  [{ EDGE_URL: 'edge' }, 'EDGE_URL'],
])('invalid settings %o are rejected at startup', (settings, setting) => {
  const read = () => readOperatorConfig({ ...min, ...settings })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(setting)
})

test('effective settings are printed without secrets', () => {
  const shown = printOperatorConfig(readOperatorConfig({ ...min, RPC_SECRET: 'a-long-enough-secret' }))
  expect(shown).toContain('MAXIMUM_RUNS')
  expect(shown).not.toContain('a-long-enough-secret')
})
