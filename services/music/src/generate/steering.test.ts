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
  ["don't use any drums", ["don't drums"], []],
  ['take the drums out, leave out the bass', ['take drums out', 'leave out bass'], []],
  ['slow down gently, no beat', ['slow down', 'gently', 'no beat'], []],
  ['an upbeat crescendo', ['upbeat'], ['crescendo']],
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
  expect(readPrompt('speed up').steering.tempo).toBe(1)
  expect(readPrompt('slow').steering.tempo).toBe(-1)
})

test.each([
  ['no drums', ['drums']],
  ['less drums', []],
  ['without bass and vocals', ['bass', 'vocals']],
  ['drums and bass', []],
  ['instrumental', ['vocals']],
  ['not instrumental', []],
  ['no energy and bass', []],
  ['without the drums', ['drums']],
  ['without any drums and the bass', ['drums', 'bass']],
  ['no more vocals', ['vocals']],
  ['remove the drums', ['drums']],
  ["don't use drums", ['drums']],
  ['don’t use drums', ['drums']],
  ['leave out the bass', ['bass']],
  ['take the drums out', ['drums']],
  ['not too many drums', []],
  ["don't remove the drums", []],
])('"%s" leaves out %j', (prompt, leaveOut) => {
  expect(readPrompt(prompt).steering.leaveOut).toEqual(leaveOut)
})

test.each([
  ['low energy', { energy: -1 }],
  ['never calm', { energy: 1 }],
  ['not too calm', { energy: 1 }],
  ['no less energy', { energy: 1 }],
  ['not too many drums', { drums: -1 }],
  ["don't end", { outro: false }],
  ['no vocals, more drums', { drums: 1 }],
  ["don't slow down", { tempo: 0 }],
  ['less fast', { tempo: -1 }],
])('"%s" steers to %j, not to the opposite', (prompt, steering) => {
  expect(readPrompt(prompt).steering).toMatchObject(steering)
})

test('a section that the piece does not have is not followed', () => {
  const read = withoutSection(readPrompt('calm, like the chorus'))
  expect([read.steering.section, read.honored]).toEqual([undefined, ['calm']])
})
