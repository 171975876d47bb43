import { expect, test } from 'vitest'
import { createByteWriter } from './byte-writer.ts'
import { countBits, maxCount } from './posting.ts'
import { blockSize, readPostings, tableOf, writePostings } from './postings-codec.ts'

/** Deltas of one to four bytes, and counts of one and two. */
const made = (total: number) => {
  const documents: number[] = []
  const counts: number[] = []
  for (let index = 0, document = -1; index < total; index++) {
    document += [1, 63, 64, 8_191, 20_000][index % 5] ?? 1
    documents.push(document)
    counts.push([1, 2, 127, 128, 200, maxCount, 1][index % 7] ?? 1)
  }
  return { documents: Uint32Array.from(documents), counts: Uint8Array.from(counts) }
}

test.each([1, 2, blockSize, blockSize + 1, blockSize * 5, blockSize * 7 + 3])(
  '%d postings decode as encoded',
  (total) => {
    const postings = made(total)
    const other = 3
    const packed = new Uint32Array(total + other).fill(1)
    postings.documents.forEach((document, index) => {
      packed[other + index] = (document << countBits) | (postings.counts[index] ?? 0)
    })
    const lengthCodes = Uint8Array.from(
      { length: (postings.documents.at(-1) ?? 0) + 1 },
      (_, document) => document % 251,
    )
    const writer = createByteWriter(1)
    const scratch = createByteWriter(1)
    // Twice, because the codec reuses its scratch memory.
    for (let round = 0; round < 2; round++) {
      writer.clear()
      writePostings(writer, scratch, { packed, start: other, total }, lengthCodes)
      expect(readPostings(writer.written(), total)).toEqual(postings)
    }
    if (total <= blockSize) return
    const { blocks } = tableOf(writer.written(), total)
    blocks.forEach(({ maxInBlock, shortest, last, postings: size }, block) => {
      const from = block * blockSize
      expect(size).toBe(Math.min(blockSize, total - from))
      expect(last).toBe(postings.documents[from + size - 1])
      expect(maxInBlock).toBe(Math.max(...postings.counts.subarray(from, from + size)))
      expect(shortest).toBe(
        Math.min(
          ...Array.from(postings.documents.subarray(from, from + size), (document) => lengthCodes[document] ?? 0),
        ),
      )
    })
  },
)
