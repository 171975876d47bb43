import { expect, test } from 'vitest'
import { clampPages, featuresOf } from './features.ts'

test.each([
  [undefined, 'local', 1],
  [0, 'local', 1],
  [-3, 'paid', 1],
  [3, 'free', 1],
  [9, 'paid', 5],
  [9, 'local', 9],
  [5000, 'local', 999],
  [2.9, 'paid', 2],
] as const)('%s pages in the %s tier are %s', (requested, tier, expected) => {
  expect(clampPages(requested, tier)).toBe(expected)
})

test('the features of a tier have nine keys', () => {
  for (const tier of ['free', 'paid', 'premium', 'ultra', 'local'] as const)
    expect(Object.keys(featuresOf(tier))).toEqual([
      'savedSearches',
      'savedSearchesLimit',
      'backgroundMonitoring',
      'maxPages',
      'upcSearch',
      'photoAnalysis',
      'sharedScammerDb',
      'sharedImageDb',
      'llmQueryBuilder',
    ])
})

test('the free tier saves three searches and has no extras, all other tiers have them', () => {
  expect(featuresOf('free')).toMatchObject({
    savedSearchesLimit: 3,
    photoAnalysis: false,
    backgroundMonitoring: false,
    llmQueryBuilder: false,
  })
  for (const tier of ['paid', 'premium', 'ultra', 'local'] as const)
    expect(featuresOf(tier)).toMatchObject({ savedSearchesLimit: null, photoAnalysis: true })
})
