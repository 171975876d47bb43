import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test.each([
  [0, '0 lines'],
  [1, '1 line'],
  [2, '2 lines'],
  [1_234_567, '1,234,567 lines'],
])('%i is written as "%s"', (count, text) => {
  expect(counted(count, 'line')).toBe(text)
})

test('an irregular plural can be passed', () => {
  expect([counted(1, 'entry', 'entries'), counted(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries'])
})
