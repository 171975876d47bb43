import { once } from 'node:events'
import { constants, createServer as createHttp2Server, type Http2Stream } from 'node:http2'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { HealthDefinition } from '@trellis/protos/ts/grpc/health/v1/health.ts'
import { createChannel, createClient } from 'nice-grpc'
import { ClientError, Status } from 'nice-grpc-common'
import { expect, test } from 'vitest'
import { callWithRetry, neverSent, wasLost } from './grpc-retry.ts'
import { grpcTarget } from './grpc-target.ts'

/** The error with which grpc-js reports a failed call. */
const failureAt = async (address: string): Promise<ClientError> => {
  const channel = createChannel(grpcTarget(address))
  try {
    await createClient(HealthDefinition, channel).check({ service: '' })
  } catch (error) {
    if (error instanceof ClientError) return error
    throw error
  } finally {
    channel.close()
  }
  throw new Error('The call succeeded.')
}

test.each([
  ['one address that refuses', '127.0.0.1:1', /No connection established/],
  ['several addresses that refuse', '127.0.0.1:1,127.0.0.2:1', /No connection established/],
  ['a missing socket', 'unix:///nowhere/trellis.sock', /No connection established/],
  ['an unknown host name', 'nowhere.invalid:9000', /Name resolution failed/],
])('a call to %s is recognized as never sent', async (_name, address, words) => {
  const error = await failureAt(address)
  expect([error.code, neverSent(error)]).toEqual([Status.UNAVAILABLE, true])
  expect(error.details).toMatch(words)
})

test('a call whose connection breaks after it was established counts as possibly sent', async () => {
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  const isHeaders = (frame: Buffer) => frame.includes('grpc.health.v1.Health') || frame.length > 60
  const server = createServer((socket: Socket) => {
    socket.write(settings)
    socket.on('data', (data: Buffer) => isHeaders(data) && socket.destroy()).on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const error = await failureAt(`127.0.0.1:${(server.address() as AddressInfo).port}`)
  server.close()
  expect([error.code, neverSent(error), wasLost(error)]).toEqual([Status.UNAVAILABLE, false, true])
})

test.each<[string, (stream: Http2Stream) => void, Status]>([
  ['abandons the connection', ({ session }) => session?.destroy(new Error('broken')), Status.INTERNAL],
  ['ends it without a status', (stream) => stream.close(), Status.INTERNAL],
  ['resets it', (stream) => stream.close(constants.NGHTTP2_CANCEL), Status.CANCELLED],
])('a call whose server %s counts as lost, unlike one that the server fails', async (_name, end, code) => {
  const server = createHttp2Server()
    .on('stream', (stream) => {
      stream.on('error', () => undefined)
      end(stream)
    })
    .on('sessionError', () => undefined)
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const error = await failureAt(`127.0.0.1:${(server.address() as AddressInfo).port}`)
  server.close()
  expect([error.code, neverSent(error), wasLost(error)]).toEqual([code, false, true])
  expect(wasLost(new ClientError('/a.B/C', Status.INTERNAL, 'The service failed.'))).toBe(false)
})

test('a lost call is retried only if it is safe', async () => {
  const attempts = async (isSafe: boolean): Promise<number> => {
    let count = 0
    const call = () => {
      count += 1
      return Promise.reject(new ClientError('/x/y', Status.UNAVAILABLE, 'Connection dropped'))
    }
    const { signal } = new AbortController()
    await callWithRetry(call, { isSafe, isAnswer: () => false, wasReached: true, signal }).catch(() => undefined)
    return count
  }
  expect([await attempts(true), await attempts(false)]).toEqual([4, 1])
})
