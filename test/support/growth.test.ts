import { expect, test } from 'vitest'
import { expectLinear } from './growth.ts'

test('expectLinear accepts a pattern that reads each character once', () => {
  expectLinear('one pass', (length) => /b$/.test('a'.repeat(length)) || 'a'.repeat(length).replaceAll('a', 'b'))
})

test('expectLinear rejects a pattern that backtracks at each character', () => {
  expect(() => expectLinear('a*b', (length) => /a*b/.test('a'.repeat(length)))).toThrow('a*b')
})
