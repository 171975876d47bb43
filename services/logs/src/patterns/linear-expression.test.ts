import { expect, test } from 'vitest'
import { matchesLinearly, problemOfExpression } from './linear-expression.ts'

const matches = (source: string, text: string) => matchesLinearly({ kind: 'linear', source }, text)

test.each([
  ['(?:door|gate) \\S+ (?:left|still) open', 'Gate NORTH still open', true],
  ['(?:door|gate) \\S+ (?:left|still) open', 'gate north closed', false],
  ['\\bcode=(?<code>\\d{3})\\b', 'it said code=417.', true],
  ['^/srv\\/\\w+$', '/SRV/shop', true],
  ['größe \\d+', 'GRÖSSE 7, Größe 8', true],
  ['\\u00fcber', 'über', true],
])('/%s/ finds what it means in "%s"', (source, text, expected) => {
  expect(problemOfExpression(source)).toBeUndefined()
  expect(matches(source, text)).toBe(expected)
})

test.each([
  ['(a+)+$', 'a'],
  ['(a|a)*b', 'a'],
  ['(x+x+)+y.*.*.*=', 'x'],
  ['(?:[a-z ]+)+$', 'door '],
  ['(a?){60}a{60}$', 'a'],
])('/%s/, which would keep a backtracking engine for years, ends on a long text', (source, piece) => {
  expect(problemOfExpression(source)).toBeUndefined()
  expect(matches(source, `${piece.repeat(4_096)}!`)).toBe(false)
})

test.each([
  ['(?=door)', /neither looking around nor back references/],
  ['(?<!a)door', /neither looking around/],
  ['(a)\\1', /back references/],
  ['(door', /missing closing/],
  ['a{5000}', /repeat/],
  ['((((\\pL{10}){10}){10}){10})', /repeat/],
])('/%s/ is refused with why', (source, problem) => {
  expect(problemOfExpression(source)).toMatch(problem)
})
