import { expect, test } from 'vitest'
import { wordsOf } from '../segments/tokens.ts'
import { createWordMarks } from './word-marks.ts'

const sets = [new Set(['failed', 'root', 'größe', '4625']), new Set(['root', 'union', 'select', 'x'])]
const marksOf = createWordMarks(sets)
const marksByWords = (text: string) =>
  sets.reduce((marks, set, bit) => marks | (+wordsOf(text).some((word) => set.has(word)) << bit), 0)

test.each([
  '',
  'nothing of any set',
  'Failed password',
  'FAILED',
  'failedly unfailed',
  'union',
  'a failed union select',
  'root',
  'event 4625',
  'event 46251',
  'die Größe',
  'failedé is one word, and xé',
  'é failed',
  'failed é x',
  'x\u0301 is a letter with a mark',
  `${'f'.repeat(70)} x`,
  'information_schema has_union in it',
  'x',
])('the marks of a text are those of its words: %s', (text) => {
  expect(marksOf(text)).toBe(marksByWords(text))
})

test('the marks of thousands of random texts are those of their words', () => {
  const pieces = ['failed', 'Root', 'x', 'union', ' ', '_', '-', 'é', '9', '4625', 'größe', '%', 'select', '\u0301']
  let state = 42
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return pieces[Math.floor((state / 2 ** 32) * pieces.length)] ?? ''
  }
  const texts = Array.from({ length: 5_000 }, () => Array.from({ length: 5 }, next).join(''))
  expect(texts.filter((text) => marksOf(text) !== marksByWords(text))).toEqual([])
})
