import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test('one of a kind is singular, all other numbers are plural', () => {
  expect([0, 1, 2000].map((count) => counted(count, 'line'))).toEqual(['0 lines', '1 line', '2,000 lines'])
  expect(counted(1, 'entry', 'entries')).toBe('1 entry')
  expect(counted(3, 'entry', 'entries')).toBe('3 entries')
})
