import { expect, test } from 'vitest'
import { chromaHop } from './chroma.ts'
import { harmonyChanges } from './harmony-changes.ts'

const framesPerBeat = 6
const beatsOf = (count: number) => Array.from({ length: count }, (_, i) => i * framesPerBeat * chromaHop)

/** Chroma of consecutive beats, each with its notes in equal strengths. */
const chromaOfBeats = (notes: readonly (readonly number[])[]) => {
  const values = new Float32Array(notes.length * framesPerBeat * 12)
  for (const [beat, chord] of notes.entries())
    for (let frame = beat * framesPerBeat; frame < (beat + 1) * framesPerBeat; frame++)
      for (const note of chord) values[frame * 12 + note] = 1 / chord.length
  return { frames: notes.length * framesPerBeat, values }
}

test('the harmony changes by nothing within a chord, by all between chords without a common note, and else by a part', () => {
  const chroma = chromaOfBeats([[0, 4, 7], [0, 4, 7], [2, 5, 9], [2, 5, 9, 0], []])
  const [first, same, other, more, silent] = harmonyChanges(chroma, beatsOf(5))
  expect([first, same]).toEqual([expect.closeTo(0), expect.closeTo(0)])
  expect([other, silent]).toEqual([expect.closeTo(1), expect.closeTo(1)])
  expect(more).toBeGreaterThan(0.05)
  expect(more).toBeLessThan(0.5)
})

test('no beats, or one, have no changes', () => {
  const chroma = chromaOfBeats([[0]])
  expect(harmonyChanges(chroma, [])).toEqual([])
  expect(harmonyChanges(chroma, [0])).toEqual([expect.closeTo(0)])
})
