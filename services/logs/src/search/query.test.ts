import { describe, expect, test } from 'vitest'
import { highlightsOf } from './highlights.ts'
import { parseQuery } from './query.ts'

const leaf = (words: string[], isPrefix = false) => ({ words, isPrefix })

describe('a query', () => {
  test.each([
    ['disk full', { clauses: [[leaf(['disk'])], [leaf(['full'])]], excluded: [] }],
    ['"disk full"', { clauses: [[leaf(['disk', 'full'])]], excluded: [] }],
    ['disk AND full', { clauses: [[leaf(['disk'])], [leaf(['full'])]], excluded: [] }],
    ['disk OR tape AND -full', { clauses: [[leaf(['disk']), leaf(['tape'])]], excluded: [leaf(['full'])] }],
    ['disk and full', { clauses: [[leaf(['disk'])], [leaf(['and'])], [leaf(['full'])]], excluded: [] }],
    ['disk OR tape full', { clauses: [[leaf(['disk']), leaf(['tape'])], [leaf(['full'])]], excluded: [] }],
    ['disk -full -"on fire"', { clauses: [[leaf(['disk'])]], excluded: [leaf(['full']), leaf(['on', 'fire'])] }],
    ['kern*', { clauses: [[leaf(['kern'], true)]], excluded: [] }],
    ['10.0.0.1', { clauses: [[leaf(['10', '0', '0', '1'])]], excluded: [] }],
    ['org.example.Ap*', { clauses: [[leaf(['org', 'example', 'ap'], true)]], excluded: [] }],
  ])('%s', (text, query) => {
    expect(parseQuery(text)).toEqual(query)
  })

  test.each([
    '"open',
    'OR disk',
    'disk OR',
    'disk OR -full',
    'AND disk',
    'disk AND',
    'disk OR AND full',
    'disk AND OR full',
    'disk -',
    'a"b',
  ])('%s is not well formed and searched for as its words', (text) => {
    const query = parseQuery(text)
    expect(query?.excluded).toEqual([])
    expect(query?.clauses.every((clause) => clause.length === 1 && clause[0]?.words.length === 1)).toBe(true)
  })

  test('a blank one, or a lone star, asks for everything', () => {
    expect([parseQuery('  '), parseQuery(' * ')]).toEqual([null, null])
  })

  test('highlights count UTF-16 units, and do not overlap', () => {
    const text = '😀 Disk FULL: disk full über'
    const query = parseQuery('disk "disk full" ÜBER')
    if (!query) throw new Error('The query is lost.')
    expect(highlightsOf(query, text).map(([start, end]) => text.slice(start, end))).toEqual([
      'Disk FULL',
      'disk full',
      'über',
    ])
  })
})
