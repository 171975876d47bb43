import { describe, expect, test } from 'vitest'
import { wordsOf } from '../segments/tokens.ts'
import { highlightsOf } from './highlights.ts'
import { matchesWords, parseQuery } from './query.ts'

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
    ['数据库 误 -错误', { clauses: [[leaf(['数据', '据库'])], [leaf(['误'], true)]], excluded: [leaf(['错误'])] }],
    ['"错误 code"', { clauses: [[leaf(['错误', '误', 'code'])]], excluded: [] }],
    ['❌ 한국어', { clauses: [[leaf(['❌'])], [leaf(['한국어'])]], excluded: [] }],
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
  ])('%s is malformed and searched for as its words', (text) => {
    const query = parseQuery(text)
    expect(query?.excluded).toEqual([])
    expect(query?.clauses.every((clause) => clause.length === 1 && clause[0]?.words.length === 1)).toBe(true)
  })

  test('a blank query, or a lone star, matches everything', () => {
    expect([parseQuery('  '), parseQuery(' * ')]).toEqual([null, null])
  })

  test.each([
    ['错误', '连接数据库时发生错误', true],
    ['数据库', '连接数据库时发生错误', true],
    ['误', '连接数据库时发生错误', true],
    ['数库', '连接数据库时发生错误', false],
    ['接続エラー', 'データベース接続エラーが発生', true],
    ['ผิดพลาด', 'เกิดข้อผิดพลาดในระบบ', true],
    ['"错误 7"', '发生错误 7', true],
    ['"错误 7"', '发生错误了 7', false],
    ['"错误7', '7 个错误', true],
    ['"done ❌', 'build ✅ done', false],
    ['⚠️', 'build ⚠ done', true],
    ['done ❌', 'build ✅ done', false],
  ])('%s in %s: %s', (q, text, isFound) => {
    const query = parseQuery(q)
    expect(query && matchesWords(query, wordsOf(text))).toBe(isFound)
  })

  test('words of a script without blanks are highlighted', () => {
    const text = '𠀀连接数据库失败, 数据库'
    const query = parseQuery('数据库')
    if (!query) throw new Error('The query must not be null.')
    expect(highlightsOf(query, text).map(([start, end]) => text.slice(start, end))).toEqual(['数据库', '数据库'])
  })

  test('highlights count UTF-16 units, and do not overlap', () => {
    const text = '😀 Disk FULL: disk full über'
    const query = parseQuery('disk "disk full" ÜBER')
    if (!query) throw new Error('The query must not be null.')
    expect(highlightsOf(query, text).map(([start, end]) => text.slice(start, end))).toEqual([
      'Disk FULL',
      'disk full',
      'über',
    ])
  })
})
