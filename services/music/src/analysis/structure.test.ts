import { expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import { findSections, phrasePlaces } from './structure.ts'

/** Beats in bars of four that sound by `form`: a letter is a section of eight bars, each of which differs from the others. */
const piece = (form: string, upbeats = 0) => {
  const random = createRandom(2)
  const sounds = [
    ...'?'.repeat(upbeats),
    ...[...form].flatMap((letter) => Array.from({ length: 32 }, (_, i) => letter + i)),
  ]
  const noise = sounds.map(() => 0.2 * random.next())
  return {
    positions: sounds.map((_, beat) => (beat - upbeats + 4) % 4),
    beatsPerBar: 4,
    distance: (a: number, b: number) => (sounds[a] === sounds[b] ? 0.1 : 0.9) + (noise[a] ?? 0) + (noise[b] ?? 0),
  }
}

const sameLetter = (form: string, a: number, b: number): boolean => form[a >> 5] === form[b >> 5]

test('sections begin where what is repeated changes, and are named by what they repeat', () => {
  const sections = findSections(piece('AABACB'))
  expect(sections.map(({ firstBeat }) => firstBeat)).toEqual([0, 32, 64, 96, 128, 160])
  expect(sections.map(({ label }) => label)).toEqual([0, 0, 1, 0, 2, 1])
  expect(sections.at(-1)?.endBeat).toBe(192)
})

test('a verse ends where the sound changes, if the same chorus always follows it', () => {
  const song = piece('ABABC')
  const sections = findSections({
    ...song,
    // Bars of a section are more like each other than like those of others, but not the same.
    distance: (a, b) => song.distance(a, b) - (sameLetter('ABABC', a, b) && song.distance(a, b) > 0.85 ? 0.35 : 0),
  })
  expect(sections.map(({ firstBeat }) => firstBeat)).toEqual([0, 32, 64, 96, 128])
  expect(sections.map(({ label }) => label)).toEqual([0, 1, 0, 1, 2])
})

test('an upbeat belongs to no section', () => {
  expect(findSections(piece('AABA', 2))[0]?.firstBeat).toBe(2)
})

test('places in phrases of four bars are counted from the beginning of their section', () => {
  const input = piece('AAB', 1)
  const places = phrasePlaces(input, findSections(input))
  expect([1, 9, 17, 33, 34].map((beat) => places[beat])).toEqual([0, 0.5, 0, 0, 1 / 16])
  expect(places[0]).toBe(15 / 16)
})

test('a piece of few bars, or without any repetition, has at most one section', () => {
  expect(findSections({ ...piece('A'), positions: [0, 1, 2, 3, 0] })).toEqual([])
  expect(findSections(piece('ABCDE')).length).toBeLessThanOrEqual(2)
})
