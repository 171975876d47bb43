import { expect, test } from 'vitest'
import type { Access } from './credentials.ts'
import { createTransport } from './transport.ts'

const access = (ca: string, authorization = 'Bearer a'): Access => ({
  server: 'https://127.0.0.1:1',
  headers: { authorization },
  security: { ca },
  proxy: undefined,
})

test('connections are replaced when a certificate changes, but not when a token does', async () => {
  await using transport = createTransport()
  const first = transport.agent('requests', access('one'))
  expect(transport.agent('requests', access('one', 'Bearer b'))).toBe(first)
  const second = transport.agent('requests', access('two'))
  expect(second).not.toBe(first)
  expect(transport.agent('requests', access('two'))).toBe(second)
})

test('watches, requests and leases do not wait for each other', async () => {
  await using transport = createTransport()
  const same = access('one')
  const lanes = (['requests', 'watches', 'leases'] as const).map((lane) => transport.agent(lane, same))
  expect(new Set(lanes).size).toBe(3)
})
