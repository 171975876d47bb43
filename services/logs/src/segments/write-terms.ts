import type { Blocks } from './blocks.ts'
import { type ByteWriter, createByteWriter } from './byte-writer.ts'
import { compress } from './compress.ts'
import type { MemoryIndex } from './memory-index.ts'
import { writePostings } from './postings-codec.ts'
import { sortTerms } from './sort-terms.ts'

/** Words in a block of the dictionary: what a look-up has to read through. */
const termsPerBlock = 64
/** A step ends after so much work: a word is as much as so many postings, which are mostly of few words. */
const workPerStep = 64_000
const workOfTerm = 16

/** Shared and own length take four bits each of one byte; 15 says that a byte of its own follows. */
const writeWord = (blocks: ByteWriter, bytes: Uint8Array, [start, end]: readonly [number, number], shared: number) => {
  const own = end - start - shared
  blocks.byte((Math.min(shared, 15) << 4) | Math.min(own, 15))
  if (shared >= 15) blocks.byte(shared)
  if (own >= 15) blocks.byte(own)
  blocks.bytes(bytes, start + shared, end)
}

/**
 * The dictionary: blocks of words in byte order. A block begins with where its postings start (varint); then for each word the bytes it
 * shares with the one before (none for the first), the rest of it, the number of its documents and the bytes of its postings; the posting
 * of a word that only one document has stands right there instead. The index has for each block its first word and its length. Postings
 * and dictionary are for who asks to give back.
 */
export function* writeTerms({ terms, columns }: MemoryIndex, room: Blocks) {
  const order = yield* sortTerms(terms)
  const packed = yield* terms.groupPostings(order, room)
  const { bytes, ends } = terms.words()
  let start = 0
  const postings = createByteWriter(1 << 20, room)
  const scratch = createByteWriter(1 << 16)
  const blocks = createByteWriter(1 << 20, room)
  const index = createByteWriter(1 << 16)
  let [beforeStart, beforeEnd] = [0, 0]
  let blockStart = 0
  let work = 0
  for (let place = 0; place < order.length; place++) {
    const term = order[place] ?? 0
    const wordStart = term === 0 ? 0 : (ends[term - 1] ?? 0)
    const wordEnd = ends[term] ?? 0
    if (place % termsPerBlock === 0) {
      if (place > 0) index.varint(blocks.length - blockStart)
      blockStart = blocks.length
      beforeEnd = beforeStart
      index.byte(wordEnd - wordStart)
      index.bytes(bytes, wordStart, wordEnd)
      blocks.varint(postings.length)
    }
    let shared = 0
    const mostShared = Math.min(beforeEnd - beforeStart, wordEnd - wordStart)
    while (shared < mostShared && bytes[beforeStart + shared] === bytes[wordStart + shared]) shared++
    const total = terms.documentsWith(term)
    writeWord(blocks, bytes, [wordStart, wordEnd], shared)
    blocks.varint(total)
    if (total === 1) writePostings(blocks, scratch, { packed, start, total }, columns.lengthCodes)
    else {
      const postingsStart = postings.length
      writePostings(postings, scratch, { packed, start, total }, columns.lengthCodes)
      blocks.varint(postings.length - postingsStart)
    }
    start += total
    beforeStart = wordStart
    beforeEnd = wordEnd
    work += workOfTerm + total
    if (work < workPerStep) continue
    work = 0
    yield
  }
  if (order.length > 0) index.varint(blocks.length - blockStart)
  room.giveBack(packed.buffer)
  return { postings: postings.take(), blocks: blocks.take(), index: compress(index.take()) }
}
