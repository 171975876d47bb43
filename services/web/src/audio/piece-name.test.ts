import { expect, test } from 'vitest'
import { nameOf } from './piece-name.ts'

test('a piece is named after its file, and cut to what a name may have', () => {
  expect(nameOf('evening.tune.ogg')).toBe('evening.tune')
  expect(nameOf(`${'n'.repeat(251)}.wav`)).toBe('n'.repeat(200))
  expect(nameOf(`${'n'.repeat(199)}🎵.wav`)).toBe('n'.repeat(199))
})
