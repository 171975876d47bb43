import { expect, test } from 'vitest'
import { parseQuery } from '../search/query.ts'
import { loosenQuery, sentenceOf } from './loosen-query.ts'

const loosened = (q: string) => {
  const query = parseQuery(q)
  return query && loosenQuery(query).clauses.map((clause) => clause.map(({ words }) => words.join(' ')))
}

test.each([
  ['why is the disk full', [['disk', 'full']]],
  ['disk 10.0.0.7', [['disk', '10 0 0 7']]],
  ['what is it', [['what', 'is', 'it']]],
])('%s requires any of the words that carry meaning', (q, clauses) => {
  expect(loosened(q)).toEqual(clauses)
})

test.each([
  ['"connection refused" OR timeout -debug', 'connection refused timeout'],
  ['-"read only" disk*', 'disk'],
  ['why-not full', 'why-not full'],
])('a model reads %s as a sentence', (q, sentence) => {
  expect(sentenceOf(q)).toBe(sentence)
})
