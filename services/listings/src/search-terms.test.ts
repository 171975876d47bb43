import { describe, expect, test } from 'vitest'
import { expandGroups, parseGroups, readTerms, type TermParameters, withExclusions } from './search-terms.ts'

const parameters = (change: Partial<TermParameters>): TermParameters => ({
  q: 'gpu',
  mustInclude: '',
  mustIncludeMode: 'all',
  mustExclude: '',
  ...change,
})

describe('groups', () => {
  test('commas separate groups and bars separate alternatives', () => {
    expect(parseGroups('16GB|24gb, RTX | Quadro ,,|')).toEqual([
      ['16gb', '24gb'],
      ['rtx', 'quadro'],
    ])
  })

  test('an alternative that is given twice counts once, and is one query', () => {
    expect(parseGroups('RTX|rtx| rtx |quadro')).toEqual([['rtx', 'quadro']])
    const mustInclude = Array.from({ length: 21 }, () => 'rtx').join('|')
    expect(readTerms(parameters({ mustInclude, mustIncludeMode: 'groups' })).queries).toEqual(['gpu rtx'])
  })

  test('the first smallest group is split into queries, the others are added as alternatives', () => {
    expect(expandGroups('gpu', [['16gb', '24gb', '48gb'], ['rtx', 'quadro'], ['blower']])).toEqual([
      'gpu blower (16gb,24gb,48gb) (rtx,quadro)',
    ])
    expect(
      expandGroups('gpu', [
        ['16gb', '24gb'],
        ['rtx', 'quadro'],
      ]),
    ).toEqual(['gpu 16gb (rtx,quadro)', 'gpu 24gb (rtx,quadro)'])
    expect(expandGroups('gpu', [])).toEqual(['gpu'])
    expect(expandGroups('gpu', parseGroups('"Body  only"|“kit”'))).toEqual(['gpu body only', 'gpu kit'])
  })

  const list = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`).join('|')

  test.each([
    ['more than 8 queries', list(9)],
    ['more than 20 alternatives', `${list(21)}, a`],
    ['more than 10 groups', Array.from({ length: 11 }, (_, index) => `g${index}`).join(',')],
  ])('%s are refused', (_, mustInclude) => {
    expect(() => readTerms(parameters({ mustInclude, mustIncludeMode: 'groups' }))).toThrow(
      expect.objectContaining({ status: 422 }),
    )
  })

  test('8 queries, 20 alternatives and 10 groups are accepted', () => {
    const mustInclude = [list(8), list(20), ...Array.from({ length: 8 }, () => list(9))].join(',')
    expect(readTerms(parameters({ mustInclude, mustIncludeMode: 'groups' })).queries).toHaveLength(8)
  })
})

describe('the query that prices are compared by', () => {
  test.each([
    ['groups', 'a|b, c', 'gpu c (a,b)'],
    ['all', 'a, b', 'gpu a b'],
    ['all', '', 'gpu'],
    ['any', 'a, b', 'gpu'],
  ] as const)('in %s mode with "%s" is "%s"', (mustIncludeMode, mustInclude, expected) => {
    expect(readTerms(parameters({ mustInclude, mustIncludeMode })).compQuery).toBe(expected)
  })

  test('has no exclusions: the price of a query does not depend on what a search hides, unless the query itself excludes it', () => {
    expect(readTerms(parameters({ mustExclude: 'broken' })).compQuery).toBe('gpu')
    expect(readTerms(parameters({ q: 'gpu -broken' })).compQuery).toBe('gpu -broken')
  })
})

describe('titles', () => {
  test.each([
    ['all', 'rtx, 16gb', 'RTX 5080 16GB', true],
    ['all', 'rtx, 24gb', 'RTX 5080 16GB', false],
    ['any', 'rtx, 24gb', 'RTX 5080 16GB', true],
    ['any', 'quadro', 'RTX 5080 16GB', false],
    ['groups', '16gb|24gb, rtx', 'RTX 5080 16GB', true],
    ['groups', '24gb|48gb, rtx', 'RTX 5080 16GB', false],
    ['all', '"body only", “with box”', 'Camera body only with box', true],
    ['groups', '"body  only"|"kit"', 'Camera body only', true],
    ['all', '15.6"', 'Laptop 15.6" 16GB', true],
    ['all', '15.6"', 'Laptop 15.6 inch', false],
    ['all', '', 'anything', true],
    ['any', '', 'anything', true],
    ['groups', '', 'anything', true],
  ] as const)('in %s mode "%s" on "%s": %s', (mustIncludeMode, mustInclude, title, expected) => {
    expect(readTerms(parameters({ mustInclude, mustIncludeMode })).matches(title)).toBe(expected)
  })

  test('excluded terms are sent to the marketplace and also applied here', () => {
    const terms = readTerms(parameters({ mustExclude: 'broken, for parts' }))
    expect(withExclusions('gpu', terms.mustExclude)).toBe('gpu -broken -"for parts"')
    expect(terms.matches('GPU for PARTS')).toBe(false)
    expect(terms.matches('GPU')).toBe(true)
  })

  test.each(['-broken, - "for  parts"', '--broken, -"for parts"', 'broken, "for parts"'])(
    'the exclusions %s are those of the terms',
    (mustExclude) => {
      const terms = readTerms(parameters({ mustExclude }))
      expect(withExclusions('gpu', terms.mustExclude)).toBe('gpu -broken -"for parts"')
      expect(['broken GPU', 'GPU for parts', 'GPU'].map(terms.matches)).toEqual([false, false, true])
    },
  )
})
