import { expect, test } from 'vitest'
import { readPrompt } from './steering.ts'

test.each([
  ['', [], []],
  ['more drums and energy', ['drums', 'energy'], []],
  ['Less energy, please', ['less energy'], []],
  ['a jazzy outro with saxophone in D minor', ['outro'], ['jazzy', 'saxophone', 'd', 'minor']],
  ['no vocals', [], ['no', 'vocals']],
  ['größer, 120 bpm', [], ['größer', '120', 'bpm']],
])('of "%s" the words %j are followed, and the words %j are not', (prompt, honored, ignored) => {
  expect(readPrompt(prompt)).toMatchObject({ honored, ignored })
})

test('words steer in proportion, and opposite ones cancel', () => {
  expect(readPrompt('calm but energetic').steering.energy).toBe(0)
  expect(readPrompt('no drums').steering.drums).toBe(-1)
  expect(readPrompt('drums, drums, percussion').steering.drums).toBe(1)
})
