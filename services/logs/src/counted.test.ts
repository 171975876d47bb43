import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test.each([
  [0, '0 lines'],
  [1, '1 line'],
  [2, '2 lines'],
])('%i is said as "%s"', (count, said) => {
  expect(counted(count, 'line')).toBe(said)
})

test('a noun may bring its plural along', () => {
  expect([counted(1, 'entry', 'entries'), counted(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries'])
})
