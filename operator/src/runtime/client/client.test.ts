import { expect, test } from 'vitest'
import { ApiError, ConnectionError, readApiError } from './api-error.ts'
import { mayRetry } from './retry.ts'
import { MalformedEvent, readLines, readWatchEvent } from './watch-stream.ts'

const connection = (maybeSent: boolean) => new ConnectionError('broke', { maybeSent })
const refusal = (status: number, retryAfter?: number) => new ApiError(status, {}, retryAfter)

test.each<[string, Error, boolean, boolean]>([
  ['a request that was never sent', connection(false), true, true],
  ['a request that may have been carried out', connection(true), true, false],
  ['a throttled request', refusal(429), true, true],
  ['503', refusal(503), true, false],
  ['504', refusal(504), true, false],
  ['500 with Retry-After', refusal(500, 1_000), true, false],
  ['500', refusal(500), false, false],
  ['a conflict', refusal(409), false, false],
  ['404', refusal(404), false, false],
  ['a programming error', new TypeError('boom'), false, false],
])('%s is retried only as far as it is safe', (_, error, whenIdempotent, whenNot) => {
  expect([mayRetry(error, true), mayRetry(error, false)]).toEqual([whenIdempotent, whenNot])
})

test('a Status is parsed from the body, and any other body is quoted', () => {
  const status = { kind: 'Status', message: 'no', reason: 'Conflict', details: { retryAfterSeconds: 2 } }
  expect(readApiError(409, JSON.stringify(status))).toMatchObject({
    status: 409,
    reason: 'Conflict',
    retryAfter: 2_000,
  })
  expect(readApiError(502, '<html>Bad gateway</html>')).toMatchObject({ status: 502, reason: '' })
  expect(readApiError(502, '<html>Bad gateway</html>').message).toContain('Bad gateway')
})

test('lines are reassembled from chunks, even when a character is split', async () => {
  const text = `${JSON.stringify({ type: 'ADDED', object: { name: 'größe 🎉' } })}\n\n{"a":1}\nrest`
  const bytes = Buffer.from(text)
  for (const size of [1, 2, 3, 7, 1_000]) {
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    expect(await Array.fromAsync(readLines(chunks()))).toEqual(text.split('\n'))
  }
})

test.each(['{"type":"ADDED","obj', '{"type":"HELLO","object":{}}', '{"type":"ADDED"}', 'null'])(
  'the line %s is rejected as malformed',
  (line) => {
    expect(() => readWatchEvent(line)).toThrow(MalformedEvent)
  },
)
