import { expect, test } from 'vitest'
import { relativeWords } from './windows.ts'

test.each([
  ['-1h', 'Last hour'],
  ['-3h', 'Last 3 hours'],
  ['-1w', 'Last week'],
  ['2026-03-01T09:00:00Z', undefined],
  ['', undefined],
])('the bound "%s" is called %s', (bound, words) => expect(relativeWords(bound)).toBe(words))
