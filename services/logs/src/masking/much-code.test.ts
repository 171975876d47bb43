import { getHeapSpaceStatistics } from 'node:v8'
import { expect, test } from 'vitest'
import { maskText } from './mask-text.ts'

/** V8 stops optimizing new expressions beyond 16 MB of compiled code. */
const codeLimit = 17 * 1024 * 1024

const compiledBytes = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.includes('code'))
    .reduce((sum, { space_size }) => sum + space_size, 0)

/** Expressions that are compiled when they are first used for the second time. */
const compileMuch = (): RegExp[] => {
  const compiled: RegExp[] = []
  while (compiledBytes() < codeLimit) {
    const words = Array.from({ length: 1_500 }, (_, word) => `w${compiled.length}x${word}[a-z]{1,20}y`)
    const expression = new RegExp(`(?:${words.join('|')})q`, 'iu')
    for (const text of ['w1x', 'w1xabc']) expression.test(text)
    compiled.push(expression)
  }
  return compiled
}

test('secrets in any case are masked in a process with much compiled code', () => {
  const compiled = compileMuch()
  expect(maskText('PASSWORD=hunter2 user=ann HOST=web1.lan API_KEY=abcdefgh1')).toBe(
    'PASSWORD=[password] user=[user-1] HOST=[host-1] API_KEY=[token]',
  )
  expect(maskText('Authorization: Bearer abcd.efgh.ijkl')).toBe('Authorization: Bearer [token]')
  // The code is retained until here.
  expect(compiled.length).toBeGreaterThan(0)
})
