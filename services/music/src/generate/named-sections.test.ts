import { expect, test } from 'vitest'
import { type SectionName, sectionsNamed } from './named-sections.ts'

/** Sections of eight beats with these labels, and the level of each of their beats: later letters are louder. */
const piece = (form: string) => {
  const labels = [...form].map((letter) => letter.charCodeAt(0) - 'A'.charCodeAt(0))
  return {
    sections: labels.map((label, i) => ({ firstBeat: 8 * i, endBeat: 8 * (i + 1), label })),
    levels: labels.flatMap((label) => Array<number>(8).fill(label - 30)),
  }
}

test.each<[SectionName, string, number[]]>([
  ['chorus', 'ABABCB', [1, 3, 5]],
  ['verse', 'ABABCB', [0, 2]],
  ['bridge', 'ABABCB', [4]],
  ['intro', 'CABAB', [0]],
  ['verse', 'CABAB', [1, 3]],
])('the %s of a piece of the form %s is found', (name, form, indices) => {
  const { sections, levels } = piece(form)
  expect(sectionsNamed(name, sections, levels)).toEqual(indices.map((index) => sections[index]))
})

test.each<[SectionName, string]>([
  ['chorus', 'A'],
  ['chorus', 'ABC'],
  ['verse', 'ABC'],
  ['bridge', 'ABAB'],
  ['intro', ''],
])('there is no %s in a piece of the form "%s"', (name, form) => {
  const { sections, levels } = piece(form)
  expect(sectionsNamed(name, sections, levels)).toBeUndefined()
})
