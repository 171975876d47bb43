import { expect, test } from 'vitest'
import { ignoredWords } from './prompt-words.ts'
import { readPrompt, withoutSection } from './steering.ts'

test.each([
  ['', [], []],
  ['more drums and energy', ['drums', 'energy'], []],
  ['Less energy, please', ['less energy'], []],
  ['a jazzy outro with saxophone in D minor', ['outro'], ['jazzy', 'saxophone', 'd', 'minor']],
  ['no vocals', ['no vocals'], []],
  ['more vocals', [], ['vocals']],
  ['less bass', [], ['less', 'bass']],
  ['without drums or bass, like the chorus', ['without drums', 'without bass', 'chorus'], []],
  ['no chorus', [], ['no', 'chorus']],
  ['instrumental, slower', ['instrumental', 'slower'], []],
  ['größer, 120 bpm', [], ['größer', '120', 'bpm']],
])('of "%s" the words %j are followed, and the words %j are not', (prompt, words, ignored) => {
  const { honored } = readPrompt(prompt)
  expect([honored, ignoredWords(prompt, honored)]).toEqual([words, ignored])
})

test('words steer in proportion, and opposite ones cancel', () => {
  expect(readPrompt('calm but energetic').steering.energy).toBe(0)
  expect(readPrompt('no drums').steering.drums).toBe(-1)
  expect(readPrompt('drums, drums, percussion').steering.drums).toBe(1)
  expect(readPrompt('faster and faster').steering.tempo).toBe(1)
})

test.each([
  ['no drums', ['drums']],
  ['less drums', []],
  ['without bass and vocals', ['bass', 'vocals']],
  ['drums and bass', []],
  ['instrumental', ['vocals']],
  ['not instrumental', []],
  ['no energy and bass', []],
])('"%s" leaves out %j', (prompt, leaveOut) => {
  expect(readPrompt(prompt).steering.leaveOut).toEqual(leaveOut)
})

test('a section that the piece does not have is not followed', () => {
  const read = withoutSection(readPrompt('calm, like the chorus'))
  expect([read.steering.section, read.honored]).toEqual([undefined, ['calm']])
})
