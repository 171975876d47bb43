import { expect, test } from 'vitest'
import { parsedExactly, parsedJson } from './parsed-json.ts'

test.each([
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740992', '9007199254740992'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['18446744073709551615', '18446744073709551615'],
  ['1714557600123456', 1_714_557_600_123_456],
  ['12345678901234567.5', 12_345_678_901_234_568],
  ['1e17', 1e17],
  ['"12345678901234567890"', '12345678901234567890'],
])('the value %s keeps its digits', (written, value) => {
  expect(parsedExactly(`{"fields":{"id": ${written},"list":[${written}]}}`)).toEqual({
    fields: { id: value, list: [value] },
  })
})

test('what is no JSON is undefined', () => {
  for (const text of ['', '{', '{"id":12345678901234567890']) {
    expect(parsedJson(text)).toBeUndefined()
    expect(parsedExactly(text)).toBeUndefined()
  }
})
