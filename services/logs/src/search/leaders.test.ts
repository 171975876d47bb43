import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBitmap, hasBit, setBit } from '../segments/bitmap.ts'
import { columnOf } from '../segments/number-column.ts'
import { bitmapOf, occurrencesOf } from '../segments/occurrences.ts'
import type { RankColumns } from '../segments/part.ts'
import { spansOf } from '../segments/time-spans.ts'
import { compareRanks, type Hit } from './hits.ts'
import { hitsOfLeaders, leadersOf } from './leaders.ts'
import type { FoundTerm } from './match.ts'
import type { Reached } from './match-part.ts'
import { scoreOf, scoresOfTerms } from './rank.ts'

const names = ['error', 'disk']

type Document = { counts: readonly number[]; code: number; time: number; sequence: number; isMatched: boolean }

const anyDocument: fc.Arbitrary<Document> = fc.record({
  counts: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: names.length, maxLength: names.length }),
  code: fc.integer({ min: 1, max: 4 }),
  time: fc.integer({ min: 0, max: 5 }),
  sequence: fc.integer({ min: 0, max: 3 }),
  isMatched: fc.boolean(),
})

/** The matches and columns of a part with these documents; as in any part, matched documents contain at least one of the words. */
const partOf = (all: readonly Document[]): { reached: Reached; columns: RankColumns } => {
  const lengthCodes = Uint8Array.from(all, ({ code }) => code)
  const matched = createBitmap(all.length)
  all.forEach(({ counts, isMatched }, document) => {
    if (isMatched && counts.some((count) => count > 0)) setBit(matched, document)
  })
  const found = new Map<string, FoundTerm>()
  names.forEach((name, term) => {
    const having = all.flatMap(({ counts }, document) => ((counts[term] ?? 0) > 0 ? [document] : []))
    const postings = {
      documents: Uint32Array.from(having),
      counts: Uint8Array.from(having, (document) => all[document]?.counts[term] ?? 0),
    }
    const occurrences = occurrencesOf(postings, { documents: all.length, lengthCodes })
    if (occurrences) found.set(name, { ...occurrences, bitmap: bitmapOf(occurrences, all.length), shortest: undefined })
  })
  const times = columnOf(Float64Array.from(all, ({ time }) => time))
  const columns = {
    times,
    spans: spansOf(times, all.length),
    sequences: columnOf(Float64Array.from(all, ({ sequence }) => sequence)),
    lengthCodes,
    // Distinct keys determine the order of all documents.
    keys: Uint8Array.from(all, (_, document) => document),
    keyStride: 1,
  }
  return { reached: { found, matched }, columns }
}

const scoresWith = (frequencies: readonly number[]) =>
  scoresOfTerms(
    names.map((name) => ({ name, word: name, isPrefix: false })),
    { documents: 2_000, words: 20_000, frequencies: new Map(names.map((name, at) => [name, frequencies[at] ?? 0])) },
  )

const placesOf = (hits: readonly Hit[]) =>
  hits.toSorted(compareRanks).map(({ document, score, time, sequence }) => ({ document, score, time, sequence }))

test('the leaders of a part include its first hits for any statistics', () => {
  const anyFrequencies = fc.array(fc.nat(1_000), { minLength: names.length, maxLength: names.length })
  fc.assert(
    fc.property(
      fc.array(anyDocument, { minLength: 1, maxLength: 60 }),
      fc.array(anyFrequencies, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 2, 8, 60),
      (all, everyFrequencies, max) => {
        const { reached, columns } = partOf(all)
        const leaders = leadersOf(reached, { names, columns, max })
        if (!leaders) throw new Error('There must be leaders for so few documents.')
        for (const frequencies of everyFrequencies) {
          const scores = scoresWith(frequencies)
          const led = placesOf(hitsOfLeaders(leaders, 0, scores))
          const expected = placesOf(
            all.flatMap(({ counts, code, time, sequence }, document): Hit[] => {
              if (!hasBit(reached.matched, document)) return []
              const score = names.reduce((sum, name, term) => {
                const ofTerm = scores.get(name)
                const count = counts[term] ?? 0
                return ofTerm && count > 0 ? sum + scoreOf(ofTerm, count, code) : sum
              }, 0)
              return [{ part: 0, document, score, time, sequence, key: keyAt(columns, document) }]
            }),
          )
          expect(led.slice(0, max)).toEqual(expected.slice(0, max))
          if (max >= all.length) expect(led).toEqual(expected)
        }
      },
    ),
    propertyRuns(),
  )
})

const keyAt = ({ keys }: RankColumns, document: number) =>
  [0, 1, 2, 3].reduce((key, byte) => key * 256 + (keys[document + byte] ?? 0), 0)

test('of equal documents the last ones are leaders', () => {
  const alike = Array.from({ length: 9 }, (_, sequence) => ({
    counts: [1, 0],
    code: 3,
    time: 1,
    sequence,
    isMatched: true,
  }))
  const { reached, columns } = partOf(alike)
  const leaders = leadersOf(reached, { names, columns, max: 3 })
  expect(leaders && placesOf(hitsOfLeaders(leaders, 0, scoresWith([9, 9]))).map(({ sequence }) => sequence)).toEqual([
    8, 7, 6,
  ])
})

test('leaders are undefined if there are too many', () => {
  const manyKinds = Array.from({ length: 1_600 }, (_, sequence) => ({
    counts: [1 + (sequence % 200), 0],
    code: 3,
    time: 1,
    sequence,
    isMatched: true,
  }))
  const { reached, columns } = partOf(manyKinds)
  expect(leadersOf(reached, { names, columns, max: 8 })).toBeUndefined()
  expect(leadersOf(reached, { names, columns, max: 4 })?.documents).toHaveLength(800)
})
