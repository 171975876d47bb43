import { expect, test } from 'vitest'
import { serversOf } from './servers-of.ts'

test.each([
  ['nats:4222', { host: 'nats', port: 4222 }],
  ['nats://nats.messages.svc', { host: 'nats.messages.svc', port: 4222 }],
  ['tls://10.0.0.7:14222', { host: '10.0.0.7', port: 14222 }],
  ['nats://[fd00::7]:4223', { host: 'fd00::7', port: 4223 }],
])('serversOf parses the NATS address %s', (NATS_URL, server) => {
  expect(serversOf({ NATS_URL })).toEqual({ NATS: [server] })
})

test('serversOf finds each of several NATS servers, and accepts a comma or an encoded @ in a password', () => {
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

test('serversOf finds no servers in an empty environment', () => {
  expect(serversOf({})).toEqual({})
})
