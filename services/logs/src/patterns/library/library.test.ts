import { describe, expect, test } from 'vitest'
import { wordsOf } from '../../segments/tokens.ts'
import { createEnricher, matchPatterns } from '../enricher.ts'
import { domains, isMatch } from '../pattern.ts'
import { libraryPatterns } from './mod.ts'

describe('patterns', () => {
  test.each(libraryPatterns.map((pattern) => [pattern.tag, pattern] as const))(
    '%s finds its line and leaves the other',
    (tag, pattern) => {
      expect(isMatch(pattern, pattern.samples.matches)).toBe(true)
      expect(isMatch(pattern, pattern.samples.passes)).toBe(false)
      expect(wordsOf(pattern.samples.matches).some((word) => pattern.words.includes(word))).toBe(true)
      expect(matchPatterns(pattern.samples.matches).map((found) => found.tag)).toContain(tag)
    },
  )

  test('every domain has patterns, and tags are unique', () => {
    expect([...new Set(libraryPatterns.map(({ domain }) => domain))].toSorted()).toEqual([...domains].toSorted())
    expect(new Set(libraryPatterns.map(({ tag }) => tag)).size).toBe(libraryPatterns.length)
  })

  test('the level that a line names stands, whatever its words mean', () => {
    const enricher = createEnricher()
    const found = enricher.words.map((_, index) => index)
    expect(enricher.enrich('write failed: No space left on device', found, 0)).toEqual({
      severity: 0,
      patterns: ['disk_full'],
    })
    expect(enricher.enrich('write failed: No space left on device', found, undefined)).toEqual({
      severity: 1,
      patterns: ['disk_full'],
    })
  })
})
