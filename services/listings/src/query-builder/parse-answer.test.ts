import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAnswer } from './parse-answer.ts'

const ids = new Set(['175672'])
const whole = {
  base_query: ' lenovo thinkpad ',
  must_include_mode: 'groups',
  must_include: '16gb|32gb, i7',
  must_exclude: 'chromebook, charger',
  max_price: 400,
  min_price: '150.5',
  condition: ['used', 'new'],
  category_id: '175672',
  explanation: 'ThinkPads with 16 GB or more.',
}
const parsed = (change: object) => parseAnswer(JSON.stringify({ ...whole, ...change }), ids)
const parameters = (change: object) => {
  const answer = parsed(change)
  if (answer.kind !== 'parameters') throw new Error(answer.reason)
  return answer.parameters
}

describe('an answer of the model', () => {
  test('has no characters that a search refuses', () => {
    expect(parameters({ base_query: 'len\0ovo \ud800', must_exclude: '\0' })).toMatchObject({
      baseQuery: 'lenovo \ufffd',
      mustExclude: '',
    })
  })

  test('becomes exactly nine fields', () => {
    expect(parsed({ note: 'more' })).toEqual({
      kind: 'parameters',
      parameters: {
        baseQuery: 'lenovo thinkpad',
        mustIncludeMode: 'groups',
        mustInclude: '16gb|32gb, i7',
        mustExclude: 'chromebook, charger',
        maxPrice: 400,
        minPrice: 150.5,
        condition: ['new', 'used'],
        categoryId: '175672',
        explanation: 'ThinkPads with 16 GB or more.',
      },
    })
  })

  test.each([
    ['an unknown mode is all', { must_include_mode: 'some' }, { mustIncludeMode: 'all' }],
    ['unknown conditions are dropped', { condition: ['mint', 'for_parts'] }, { condition: ['for_parts'] }],
    ['a single condition counts', { condition: 'used' }, { condition: ['used'] }],
    ['a category that was not offered is null', { category_id: '9355' }, { categoryId: null }],
    ['a category may be a number', { category_id: 175672 }, { categoryId: '175672' }],
    ['an empty category is null', { category_id: '' }, { categoryId: null }],
    ['prices may be missing', { max_price: null, min_price: undefined }, { maxPrice: null, minPrice: null }],
    ['a limit of 0 is none', { max_price: 0, min_price: -5 }, { maxPrice: null, minPrice: null }],
    ['missing texts are empty', { must_include: undefined, must_exclude: null }, { mustInclude: '', mustExclude: '' }],
    ['terms may be a list', { must_include: ['16gb', 'i7'] }, { mustInclude: '16gb, i7' }],
  ])('%s', (_title, change, expected) => {
    expect(parameters(change)).toMatchObject(expected)
  })

  test.each([
    ['no JSON', 'Sure! Here you go.', 'it is no JSON'],
    ['a code fence', `\`\`\`json\n${JSON.stringify(whole)}\n\`\`\``, 'it is no JSON'],
    ['a truncated object', JSON.stringify(whole).slice(0, -20), 'it is no JSON'],
    ['a list', '[]', 'it is no JSON object'],
    ['no query', JSON.stringify({ ...whole, base_query: '  ' }), '"base_query" is missing'],
    ['a price in words', JSON.stringify({ ...whole, max_price: 'cheap' }), '"max_price" is no number'],
    ['terms that are no text', JSON.stringify({ ...whole, must_include: 7 }), '"must_include" is no text'],
    [
      'an endless query',
      JSON.stringify({ ...whole, base_query: 'x'.repeat(501) }),
      '"base_query" is longer than 500 characters',
    ],
  ])('is unusable with %s', (_what, raw, reason) => {
    expect(parseAnswer(raw, ids)).toEqual({ kind: 'unusable', reason })
  })

  test('of any content never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (raw) => {
        expect(['parameters', 'unusable']).toContain(parseAnswer(raw, ids).kind)
      }),
    )
  })
})
