import { expect, test } from 'vitest'
import { callFromMetadata, requestMetadata } from './grpc-metadata.ts'

const head = { status: () => undefined, header: () => undefined }
const received = (options: Parameters<typeof requestMetadata>[0]) =>
  callFromMetadata(requestMetadata(options), new AbortController().signal, head)

test('the peer address of the caller reaches the service, and is absent when it is unknown', () => {
  expect(received({ peer: '::ffff:127.0.0.1' }).peer).toBe('::ffff:127.0.0.1')
  expect(received({}).peer).toBeUndefined()
})
