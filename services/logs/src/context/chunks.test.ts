import { describe, expect, test } from 'vitest'
import { chunkSizes, chunksOf } from './chunks.ts'

const sentence = (number: number) => `Sentence ${number} describes in detail how the pool is scrubbed.`
const paragraph = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => sentence(from + index)).join(' ')

describe('a document in chunks', () => {
  test('is one chunk if it is short', () => {
    expect(chunksOf('# NAS\n\nIt is in the cellar.\n')).toEqual([
      { headings: ['NAS'], text: '# NAS\n\nIt is in the cellar.' },
    ])
  })

  test('is split at headings, and each chunk has the headings above it', () => {
    const document = `# NAS\n\n${paragraph(0, 8)}\n\n## Backup\n\n${paragraph(10, 8)}\n\n## Restore ##\n\n${paragraph(20, 8)}\n\n# Router\n\n${paragraph(30, 8)}`
    expect(chunksOf(document).map(({ headings }) => headings)).toEqual([
      ['NAS'],
      ['NAS', 'Backup'],
      ['NAS', 'Restore'],
      ['Router'],
    ])
  })

  test('repeats the end of a chunk where a section is split', () => {
    const chunks = chunksOf(Array.from({ length: 6 }, (_, index) => paragraph(index * 10, 10)).join('\n\n'))
    expect(chunks.length).toBeGreaterThan(3)
    for (const [index, { text }] of chunks.entries()) {
      expect(text.length).toBeLessThanOrEqual(chunkSizes.max)
      const before = chunks[index - 1]
      if (before) expect(before.text.endsWith(text.slice(0, 20)) || before.text.includes(text.slice(0, 60))).toBe(true)
    }
  })

  test('loses no word, whatever its structure', () => {
    const odd = `${'x'.repeat(5_000)} ${paragraph(0, 90)}\n\n\`\`\`\n# no heading\n\n\ncode\n\`\`\`\n####### none either\n${'🦉'.repeat(2_000)}`
    const chunks = chunksOf(odd)
    const joined = chunks.map(({ text }) => text).join(' ')
    for (let number = 0; number < 90; number++) expect(joined).toContain(`Sentence ${number} describes`)
    expect(chunks.flatMap(({ headings }) => headings)).toEqual([])
    expect(joined.match(/x/g)?.length).toBeGreaterThanOrEqual(5_000)
    expect(joined).toContain('# no heading\n\n\ncode')
    for (const { text } of chunks) {
      expect(text.length).toBeLessThanOrEqual(chunkSizes.max)
      expect(text.isWellFormed()).toBe(true)
    }
  })

  test('has a number of chunks bounded by its length, even if it has only headings', () => {
    const document = '# a\nb\n'.repeat(50_000)
    expect(chunksOf(document).length).toBeLessThan(document.length / (chunkSizes.min / 2))
  })

  test.each(['', '   \n\n \t\n'])('of %j has none', (document) => {
    expect(chunksOf(document)).toEqual([])
  })
})
