import { expect, test } from 'vitest'
import { serversOf } from './servers-of.ts'

test.each([
  ['nats:4222', { host: 'nats', port: 4222 }],
  ['nats://nats.messages.svc', { host: 'nats.messages.svc', port: 4222 }],
  ['tls://10.0.0.7:14222', { host: '10.0.0.7', port: 14222 }],
  ['nats://[fd00::7]:4223', { host: 'fd00::7', port: 4223 }],
])('NATS at %s is waited for there', (NATS_URL, server) => {
  expect(serversOf({ NATS_URL })).toEqual({ NATS: [server] })
})

test('each of several NATS servers is known, and a password that holds a comma or an @ is no host', () => {
  expect(
    serversOf({
      NATS_URL: 'a:1, b:2',
      DATABASE_URL: 'postgresql://trellis:p%40ss,word@postgres/trellis?sslmode=require',
    }),
  ).toEqual({
    NATS: [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ],
    Postgres: [{ host: 'postgres', port: 5432 }],
  })
})

test('a process that is told of no server waits for none', () => {
  expect(serversOf({})).toEqual({})
})
