import { expect, test } from 'vitest'
import { linesWithPrivateWords, privateWordsIn } from './private-words.ts'

test('private words are found in prose and in the parts of identifiers, whole words only', () => {
  expect(privateWordsIn('It is told once, unless nobody reads it.')).toEqual(['told', 'nobody'])
  expect(privateWordsIn('const lastAsked = KEPT_BYTES + isTold')).toEqual(['Asked', 'KEPT', 'Told'])
  expect(privateWordsIn('the task was basked in toldeo')).toEqual([])
})

test('a line that must quote a private word is allowed by its marker', () => {
  expect(linesWithPrivateWords('a\nheard\nheard // words: allowed')).toEqual([
    { number: 2, text: 'heard', words: ['heard'] },
  ])
})
