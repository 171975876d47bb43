import { expect, test } from 'vitest'
import { lengthOfTime } from './length-of-time.ts'

test.each([
  [1, '1 minute'],
  [90_000, '1.5 minutes'],
  [600_000, '10 minutes'],
  [3_600_000, '1 hour'],
  [86_400_000, '24 hours'],
  [5416.828366666667 * 60_000, '3.8 days'],
  [1_000_000_000, '12 days'],
])('%s ms is %s', (milliseconds, text) => {
  expect(lengthOfTime(milliseconds)).toBe(text)
})
