import { expect, test } from 'vitest'
import { baseConfig } from './base.ts'
import { readConfig } from './mod.ts'

test('a process listens on a loopback address unless HOST is set', () => {
  expect(readConfig(baseConfig, {}).host).toBe('127.0.0.1')
  expect(readConfig(baseConfig, { HOST: '0.0.0.0' }).host).toBe('0.0.0.0')
})
