import { expect, test } from 'vitest'
import { flagsOf, toneOf, verdictOf } from './flags.ts'

const score = (change: Partial<Parameters<typeof verdictOf>[0]> = {}) => ({
  composite_score: 90,
  score_range: { low: 90 },
  hard_filters: [] as string[],
  soft_flags: [] as string[],
  ...change,
})

test('hard flags come first, and an unknown flag is shown by its name', () => {
  expect(flagsOf(score({ hard_filters: ['new_account'], soft_flags: ['odd_thing'] }))).toEqual([
    { name: 'new_account', label: 'new account', isHard: true },
    { name: 'odd_thing', label: 'odd thing', isHard: false },
  ])
})

test.each([
  ['a high score', score(), 'good'],
  ['a high score of which much is unknown', score({ score_range: { low: 60 } }), 'warn'],
  ['a middling score', score({ composite_score: 55, score_range: { low: 55 } }), 'warn'],
  ['a low score', score({ composite_score: 20, score_range: { low: 20 } }), 'bad'],
  ['a high score with a hard filter', score({ hard_filters: ['new_account'] }), 'bad'],
  ['no score', null, 'plain'],
])('%s is %s', (_, flag, tone) => {
  expect(toneOf(flag)).toBe(tone)
})

test('the verdict names the worst flag', () => {
  expect(verdictOf(score({ hard_filters: ['new_account'], soft_flags: ['scratch_dent'] }))).toBe(
    'New account. Better leave it.',
  )
  expect(verdictOf(score())).toBe('Nothing speaks against this seller.')
})
