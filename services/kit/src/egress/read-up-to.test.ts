import { expect, test } from 'vitest'
import { readUpTo } from './read-up-to.ts'

/** A body of chunks; `state` counts those that were read and whether the reader closed it. */
const bodyOf = (...chunks: string[]) => {
  const state = { read: 0, isClosed: false }
  async function* body() {
    try {
      for (const chunk of chunks) {
        state.read += 1
        yield Buffer.from(chunk)
      }
    } finally {
      state.isClosed = true
    }
  }
  return { body: body(), state }
}

test.each([
  ['shorter than the limit', 5, 'abcd', true],
  ['as long as the limit', 4, 'abcd', true],
  ['longer than the limit', 3, 'abc', false],
])('a body %s', async (_case, maxBytes, text, isWhole) => {
  const { bytes, ...rest } = await readUpTo(bodyOf('ab', 'cd').body, maxBytes)
  expect([bytes.toString(), rest.isWhole]).toEqual([text, isWhole])
})

test('an absent body is empty', async () => {
  expect(await readUpTo(null, 10)).toEqual({ bytes: Buffer.alloc(0), isWhole: true })
})

test('the rest of a body that is too long is not read', async () => {
  const { body, state } = bodyOf('abc', 'def', 'ghi', 'jkl')
  await readUpTo(body, 4)
  expect(state).toEqual({ read: 2, isClosed: true })
})

test('a body that breaks off rejects', async () => {
  async function* body() {
    yield Buffer.from('a')
    throw new Error('connection reset')
  }
  await expect(readUpTo(body(), 10)).rejects.toThrow('connection reset')
})
