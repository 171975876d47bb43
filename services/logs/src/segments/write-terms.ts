import type { Blocks } from './blocks.ts'
import { type ByteWriter, createByteWriter } from './byte-writer.ts'
import { compressInto } from './compress.ts'
import type { MemoryIndex } from './memory-index.ts'
import { writePostings } from './postings-codec.ts'
import type { SectionWriter } from './section-writer.ts'
import { sortTerms } from './sort-terms.ts'
import type { TermTable } from './term-table.ts'

/** Words in a block of the dictionary: what a look-up has to read through. */
const termsPerBlock = 64
/** A step ends after so much work: a word is as much as so many postings, which are mostly of few words. */
const workPerStep = 64_000
const workOfTerm = 16
/** Postings that are brought in order at a time: each time costs a look at all runs, and all at once take as much memory as the index itself. */
const postingsPerGroup = 1 << 20

/** Shared and own length take four bits each of one byte; 15 says that a byte of its own follows. */
const writeWord = (blocks: ByteWriter, bytes: Uint8Array, [start, end]: readonly [number, number], shared: number) => {
  const own = end - start - shared
  blocks.byte((Math.min(shared, 15) << 4) | Math.min(own, 15))
  if (shared >= 15) blocks.byte(shared)
  if (own >= 15) blocks.byte(own)
  blocks.bytes(bytes, start + shared, end)
}

/** Where a group of words that begins at `from` ends, and how many postings they have. There is at least one word in it. */
const groupFrom = (terms: TermTable, order: Uint32Array, from: number): { to: number; postings: number } => {
  let postings = 0
  let to = from
  for (; to < order.length; to++) {
    const total = terms.documentsWith(order[to] ?? 0)
    if (to > from && postings + total > postingsPerGroup) break
    postings += total
  }
  return { to, postings }
}

/**
 * The dictionary: blocks of words in byte order. A block begins with where its postings start (varint); then for each word the bytes it
 * shares with the one before (none for the first), the rest of it, the number of its documents and the bytes of its postings; the posting
 * of a word that only one document has stands right there instead. The index has for each block its first word and its length.
 */
export function* writeTerms({ terms, columns }: MemoryIndex, { content, end }: SectionWriter, room: Blocks) {
  const order = yield* sortTerms(terms, room)
  const { bytes, ends } = terms.words()
  const postingsStart = content.length
  const scratch = createByteWriter(1 << 16)
  const blocks = createByteWriter(1 << 20, room)
  const index = createByteWriter(1 << 16)
  let [beforeStart, beforeEnd] = [0, 0]
  let blockStart = 0
  let work = 0
  for (let from = 0; from < order.length; ) {
    const { to, postings } = groupFrom(terms, order, from)
    const packed = yield* terms.groupPostings(order.subarray(from, to), postings, room)
    let start = 0
    for (let place = from; place < to; place++) {
      const term = order[place] ?? 0
      const wordStart = term === 0 ? 0 : (ends[term - 1] ?? 0)
      const wordEnd = ends[term] ?? 0
      if (place % termsPerBlock === 0) {
        if (place > 0) index.varint(blocks.length - blockStart)
        blockStart = blocks.length
        beforeEnd = beforeStart
        index.byte(wordEnd - wordStart)
        index.bytes(bytes, wordStart, wordEnd)
        blocks.varint(content.length - postingsStart)
      }
      let shared = 0
      const maxShared = Math.min(beforeEnd - beforeStart, wordEnd - wordStart)
      while (shared < maxShared && bytes[beforeStart + shared] === bytes[wordStart + shared]) shared++
      const total = terms.documentsWith(term)
      writeWord(blocks, bytes, [wordStart, wordEnd], shared)
      blocks.varint(total)
      if (total === 1) writePostings(blocks, scratch, { packed, start, total }, columns.lengthCodes)
      else {
        const before = content.length
        writePostings(content, scratch, { packed, start, total }, columns.lengthCodes)
        blocks.varint(content.length - before)
      }
      start += total
      beforeStart = wordStart
      beforeEnd = wordEnd
      work += workOfTerm + total
      if (work < workPerStep) continue
      work = 0
      yield
    }
    room.giveBack(packed.buffer)
    from = to
  }
  if (order.length > 0) index.varint(blocks.length - blockStart)
  room.giveBack(order.buffer)
  end('postings')
  const written = blocks.take()
  content.bytes(written)
  room.giveBack(written.buffer)
  end('terms')
  compressInto(content, index.written())
  end('termIndex')
}
