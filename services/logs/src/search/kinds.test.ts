import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBitmap, hasBit, setBit } from '../segments/bitmap.ts'
import { bitmapOf, occurrencesOf } from '../segments/occurrences.ts'
import { highestOfKinds, kindsOf } from './kinds.ts'
import type { FoundTerm } from './match.ts'
import { scoreOf, scoresOfTerms } from './rank.ts'

const names = ['error', 'disk', 'full']

const documents = fc.array(
  fc.record({
    counts: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: names.length, maxLength: names.length }),
    code: fc.integer({ min: 1, max: 40 }),
    isMatched: fc.boolean(),
  }),
  { minLength: 1, maxLength: 80 },
)

test('the highest score of kinds is exactly that of the best document', () => {
  fc.assert(
    fc.property(documents, fc.array(fc.nat(1000), { minLength: 3, maxLength: 3 }), (all, frequencies) => {
      const lengthCodes = Uint8Array.from(all, ({ code }) => code)
      const matched = createBitmap(all.length)
      all.forEach(({ isMatched }, document) => {
        if (isMatched) setBit(matched, document)
      })
      const found = new Map<string, FoundTerm>()
      for (const [term, name] of names.entries()) {
        const having = all.flatMap(({ counts }, document) => ((counts[term] ?? 0) > 0 ? [document] : []))
        const postings = {
          documents: Uint32Array.from(having),
          counts: Uint8Array.from(having, (document) => all[document]?.counts[term] ?? 0),
        }
        const occurrences = occurrencesOf(postings, { documents: all.length, lengthCodes })
        if (occurrences)
          found.set(name, { ...occurrences, bitmap: bitmapOf(occurrences, all.length), shortest: undefined })
      }
      const scores = scoresOfTerms(
        names.map((name) => ({ name, word: name, isPrefix: false })),
        { documents: 2000, words: 20_000, frequencies: new Map(names.map((name, at) => [name, frequencies[at] ?? 0])) },
      )
      const highest = all.reduce((max, { counts, code }, document) => {
        if (!hasBit(matched, document)) return max
        const score = names.reduce((sum, name, term) => {
          const ofTerm = scores.get(name)
          const count = counts[term] ?? 0
          return ofTerm && count > 0 ? sum + scoreOf(ofTerm, count, code) : sum
        }, 0)
        return Math.max(max, score)
      }, 0)
      const kinds = kindsOf({ found, matched }, names, lengthCodes)
      expect(kinds && highestOfKinds(kinds, scores)).toBe(highest)
    }),
    propertyRuns(),
  )
})

test('kinds are undefined if there are too many', () => {
  const lengthCodes = new Uint8Array(40_000)
  const matched = createBitmap(lengthCodes.length).fill(0xffffffff)
  const termOf = (countIn: (document: number) => number): FoundTerm => {
    const all = Uint32Array.from(lengthCodes, (_, document) => document)
    const occurrences = occurrencesOf(
      { documents: all, counts: Uint8Array.from(all, countIn) },
      { documents: all.length, lengthCodes },
    )
    if (!occurrences) throw new Error('The term is in all documents.')
    return { ...occurrences, bitmap: bitmapOf(occurrences, all.length), shortest: undefined }
  }
  const found = new Map([
    ['error', termOf((document) => 1 + (document % 200))],
    ['disk', termOf((document) => 1 + (Math.floor(document / 200) % 200))],
  ])
  expect(kindsOf({ found, matched }, ['error', 'disk'], lengthCodes)).toBeUndefined()
  expect(kindsOf({ found, matched }, ['error'], lengthCodes)?.shortest).toHaveLength(200)
})
