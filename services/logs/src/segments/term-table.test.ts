import { expect, test } from 'vitest'
import { decodeBatch } from '../entries/entry-batch.ts'
import { createBatchAnalyser } from './batch-analysis.ts'
import { newBlocks } from './blocks.ts'
import { noEnrichment } from './enricher.ts'
import { sortTerms } from './sort-terms.ts'
import { batchOf } from './store-for-tests.ts'
import { createTermTable, type TermTable } from './term-table.ts'

const entries = 500
/** Words that many entries have, words with a common prefix, and words of one entry each. */
const analysisOf = (batch: number) =>
  createBatchAnalyser(noEnrichment)(
    decodeBatch(
      batchOf(
        Array.from({ length: entries }, (_, entry) => ({
          text: `every line of ${batch} names block${entry % 7} and block${entry % 13}x once, then ${batch * entries + entry} alone`,
          sequence: batch * entries + entry,
        })),
      ),
    ),
  )
const fill = (table: TermTable, batches: number): TermTable => {
  for (let batch = 0; batch < batches; batch++)
    table.add(
      analysisOf(batch),
      Int32Array.from({ length: entries }, (_, entry) => batch * entries + entry),
    )
  return table
}
const endOf = <Result>(steps: Generator<undefined, Result>): Result => {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
const contentOf = (table: TermTable) => {
  const { bytes, ends } = table.words()
  const order = endOf(sortTerms(table, newBlocks))
  const words = Array.from(order, (term) => Buffer.from(bytes.subarray(ends[term - 1] ?? 0, ends[term])).toString())
  return { words, postings: endOf(table.groupPostings(order, table.postings, newBlocks)) }
}

test('words are sorted in byte order with their postings, whatever the number of batches', () => {
  const { words, postings } = contentOf(fill(createTermTable(), 4))
  expect(words).toEqual([...new Set(words)].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  expect(words).toContain('block3')
  expect(words).toContain('block12x')
  expect(postings.length).toBe(fill(createTermTable(), 4).postings)
})

test.each([2, 4, 9])('a table with the capacity for four batches holds %d batches like any other', (batches) => {
  const before = fill(createTermTable(), 4)
  expect(contentOf(fill(createTermTable(before.capacity), batches))).toEqual(
    contentOf(fill(createTermTable(), batches)),
  )
})

test('postings of groups of words are the same as those of all words at once', () => {
  const table = fill(createTermTable(), 3)
  const order = endOf(sortTerms(table, newBlocks))
  const group = (words: Uint32Array) => {
    const total = words.reduce((sum, term) => sum + table.documentsWith(term), 0)
    return [...endOf(table.groupPostings(words, total, newBlocks))]
  }
  const middle = order.length >>> 1
  expect([...group(order.subarray(0, middle)), ...group(order.subarray(middle))]).toEqual(group(order))
})
