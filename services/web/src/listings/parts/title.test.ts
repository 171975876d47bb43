import { expect, test } from 'vitest'
import { titleOf } from './title.ts'

test('a listing without a title has words in its place', () => {
  expect(titleOf({ title: 'Canon EOS R6' })).toBe('Canon EOS R6')
  for (const listing of [{ title: '' }, { title: ' ' }, null, undefined])
    expect(titleOf(listing)).toBe('Untitled listing')
})
