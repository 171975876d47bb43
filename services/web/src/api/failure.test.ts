import { expect, test } from 'vitest'
import { messageWith } from '../ui/message-with.ts'
import { failureOf, toFailure } from './failure.ts'

const headers = new Headers({ 'retry-after': '4', 'x-request-id': 'r-1' })

test('a refusal has the words of the server, its request id and when to try again', () => {
  const { facts } = failureOf(429, { detail: 'Too many searches.' }, headers)
  expect(facts).toMatchObject({ detail: 'Too many searches.', requestId: 'r-1', retryAfterSeconds: 4 })
})

test('invalid values are reported by field', () => {
  const body = { detail: [{ loc: ['query', 'min_price'], msg: 'must be at least 0', type: 'minimum' }] }
  const failure = failureOf(422, body, new Headers())
  const { facts } = failure
  expect([failure.messageFor('min_price'), failure.messageFor('max_price')]).toEqual(['must be at least 0', undefined])
  expect(facts.fields).toEqual([{ field: 'min_price', message: 'must be at least 0' }])
  expect(facts.detail).toBe('Min price must be at least 0')
})

test('fields are named as the reader knows them, once, also those called as a part of a request is', () => {
  const invalid = (loc: readonly string[], msg: string) => failureOf(422, { detail: [{ loc, msg }] }, new Headers())
  const address = invalid(['body', 'llm_base_url'], 'llm_base_url must be an address.')
  expect(address.messageFor('llm_base_url')).toBe('must be an address.')
  expect(address.message).toBe('LLM base URL must be an address.')
  expect(messageWith(address, { llm_base_url: 'Address' })).toBe('Address must be an address.')
  expect(invalid(['query', 'q'], 'is too long').message).toBe('The search is too long')
  const question = invalid(['body', 'query'], 'is too long')
  expect([question.message, question.messageFor('query')]).toEqual(['Query is too long', 'is too long'])
  expect(invalid(['path', 'node_id'], 'The context is silent.').message).toBe('The context is silent.')
  const names = failureOf(422, { detail: 'device_names is not valid JSON.' }, new Headers())
  expect(messageWith(names, { device_names: 'Device names' })).toBe('Device names is not valid JSON.')
})

test('the message of the query builder is shown, and its whole body stays', () => {
  const body = { detail: { message: 'The model answered with no JSON.', raw: 'hm' } }
  expect(failureOf(422, body, new Headers()).facts).toMatchObject({ detail: 'The model answered with no JSON.', body })
})

test('an answer that is not from our server is shown by its status', () => {
  expect(failureOf(502, null, new Headers()).message).toBe('The server is not ready. Try again in a moment.')
})

test('a lost connection is shown as such', () => {
  expect(toFailure(new TypeError('fetch failed'))).toMatchObject({
    status: 0,
    message: expect.stringContaining('cannot be reached'),
  })
})

test('an answer that ends too early is a failure in words', () => {
  const read = () => JSON.parse('{"sources": [')
  let thrown: unknown
  try {
    read()
  } catch (error) {
    thrown = error
  }
  expect(toFailure(thrown).message).toBe('The answer of the server was cut off. Try again.')
})
