import { expect, test } from 'vitest'
import { searchesOf } from './expansion.ts'

// The same cases as in services/listings/src/search-terms.test.ts: what is previewed is what is sent.
test.each([
  ['16gb|24gb|48gb, rtx|quadro, blower', ['gpu blower (16gb,24gb,48gb) (rtx,quadro)']],
  ['16gb|24gb, rtx|quadro', ['gpu 16gb (rtx,quadro)', 'gpu 24gb (rtx,quadro)']],
  ['16GB|24gb, RTX | Quadro ,,|', ['gpu 16gb (rtx,quadro)', 'gpu 24gb (rtx,quadro)']],
  ['a|b, c', ['gpu c (a,b)']],
  ['RTX|rtx| rtx |quadro', ['gpu rtx', 'gpu quadro']],
  ['"Body  only"|“kit”', ['gpu body only', 'gpu kit']],
  ['', ['gpu']],
])('the groups "%s" are sent as %j', (mustInclude, searches) => {
  expect(searchesOf('gpu', mustInclude)).toEqual(searches)
})

test('groups without other words are searches of their own', () => {
  expect(searchesOf(' ', 'a|b')).toEqual(['a', 'b'])
  expect(searchesOf('', '')).toEqual([])
})
