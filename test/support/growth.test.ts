import { expect, test } from 'vitest'
import { expectLinear } from './growth.ts'

test('a pattern that looks at each character once is linear', () => {
  expectLinear('one pass', (length) => /b$/.test('a'.repeat(length)) || 'a'.repeat(length).replaceAll('a', 'b'))
})

test('a pattern that begins again at each character is not', () => {
  expect(() => expectLinear('a*b', (length) => /a*b/.test('a'.repeat(length)))).toThrow('a*b')
})
