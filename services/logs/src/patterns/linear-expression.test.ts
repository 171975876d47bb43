import { expect, test } from 'vitest'
import { matchesLinearly, problemOfExpression } from './linear-expression.ts'

const matches = (source: string, text: string) => matchesLinearly({ kind: 'linear', source }, text)

test.each([
  ['(?:door|gate) \\S+ (?:left|still) open', 'Gate NORTH still open', true],
  ['(?:door|gate) \\S+ (?:left|still) open', 'gate north closed', false],
  ['\\bcode=(?<code>\\d{3})\\b', 'it returned code=417.', true],
  ['^/srv\\/\\w+$', '/SRV/shop', true],
  ['größe \\d+', 'GRÖSSE 7, Größe 8', true],
  ['\\u00fcber', 'über', true],
])('/%s/ matches "%s" as expected', (source, text, expected) => {
  expect(problemOfExpression(source)).toBeUndefined()
  expect(matches(source, text)).toBe(expected)
})

test.each([
  ['(a+)+$', 'a'],
  ['(a|a)*b', 'a'],
  ['(x+x+)+y.*.*.*=', 'x'],
  ['(?:[a-z ]+)+$', 'door '],
  ['(a?){60}a{60}$', 'a'],
])('/%s/, which takes a backtracking engine exponential time, terminates on a long text', (source, piece) => {
  expect(problemOfExpression(source)).toBeUndefined()
  expect(matches(source, `${piece.repeat(4_096)}!`)).toBe(false)
})

test.each([
  ['(?=door)', /neither lookaround nor backreferences/],
  ['(?<!a)door', /neither lookaround/],
  ['(a)\\1', /backreferences/],
  ['(door', /missing closing/],
  ['a{5000}', /repeat/],
  ['((((\\pL{10}){10}){10}){10})', /repeat/],
])('/%s/ is refused with the reason', (source, problem) => {
  expect(problemOfExpression(source)).toMatch(problem)
})
