import type { SellerRest } from '@trellis/protos/edge/client.ts'
import { expect, test } from 'vitest'
import { ageText, sellerFacts } from './seller-line.ts'

test.each([
  [0, '0 days'],
  [1, '1 day'],
  [45, '1 month'],
  [364, '12 months'],
  [800, '2 years'],
])('%s days are %s', (days, text) => {
  expect(ageText(days)).toBe(text)
})

test('what is unknown about a seller is shown as unknown, never as 0', () => {
  const seller = { feedback_count: null, feedback_ratio: null, account_age_days: null } as SellerRest
  expect(sellerFacts(seller)).toEqual(['feedback unknown', 'age unknown'])
  expect(sellerFacts(undefined)).toEqual(['seller unknown'])
  expect(sellerFacts({ ...seller, feedback_count: 4300, feedback_ratio: 0.994, account_age_days: 900 })).toEqual([
    '99.4 % of 4,300 feedbacks',
    'member for 2 years',
  ])
  expect(sellerFacts({ ...seller, feedback_count: 1, feedback_ratio: 1 })).toContain('100.0 % of 1 feedback')
})
