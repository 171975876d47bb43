import { expect, test } from 'vitest'
import { callFromMetadata, requestMetadata } from './grpc-metadata.ts'

const head = { status: () => undefined, header: () => undefined }
const received = (options: Parameters<typeof requestMetadata>[0]) =>
  callFromMetadata(requestMetadata(options), new AbortController().signal, head)

test('the client that limits count reaches the service, and is absent when it is unknown', () => {
  expect(received({ client: '2001:db8:0:1::/64' }).client).toBe('2001:db8:0:1::/64')
  expect(received({}).client).toBeUndefined()
})

test('a request for the head alone reaches the service as such', () => {
  expect(received({ isHeadOnly: true }).isHeadOnly).toBe(true)
  expect(received({}).isHeadOnly).toBe(false)
})

test('the peer address of the caller reaches the service, and is absent when it is unknown', () => {
  expect(received({ peer: '::ffff:127.0.0.1' }).peer).toBe('::ffff:127.0.0.1')
  expect(received({}).peer).toBeUndefined()
})
