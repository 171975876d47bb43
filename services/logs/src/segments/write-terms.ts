import type { Blocks } from './blocks.ts'
import { type ByteWriter, createByteWriter } from './byte-writer.ts'
import { compressInto } from './compress.ts'
import type { MemoryIndex } from './memory-index.ts'
import { writePostings } from './postings-codec.ts'
import type { SectionWriter } from './section-writer.ts'
import { sortTerms } from './sort-terms.ts'
import type { TermTable } from './term-table.ts'

/** Words per block of the dictionary, which a lookup must read through. */
const termsPerBlock = 64
/** Work per step: a word counts as much as `workOfTerm` postings, because most words have few postings. */
const workPerStep = 64_000
const workOfTerm = 16
/**
 * Postings that are grouped at a time: each group costs a pass over all runs, and one group of everything would take as much memory as the index.
 */
const postingsPerGroup = 1 << 20

/** Shared and own length take four bits each of one byte; 15 means that a separate byte follows. */
const writeWord = (blocks: ByteWriter, bytes: Uint8Array, [start, end]: readonly [number, number], shared: number) => {
  const own = end - start - shared
  blocks.byte((Math.min(shared, 15) << 4) | Math.min(own, 15))
  if (shared >= 15) blocks.byte(shared)
  if (own >= 15) blocks.byte(own)
  blocks.bytes(bytes, start + shared, end)
}

/** The end of the group of words that begins at `from`, and the number of their postings. A group has at least one word. */
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
 * Writes the dictionary: blocks of words in byte order. A block begins with the offset of its postings (varint); then follow for each word the
 * number of bytes that it shares with the previous one (none for the first), its other bytes, the number of its documents and the bytes of its
 * postings; a word with a single document has its posting there instead. The index has the first word and the length of each block.
 */
export function* writeTerms({ terms, columns }: MemoryIndex, { content, end }: SectionWriter, memory: Blocks) {
  const order = yield* sortTerms(terms, memory)
  const { bytes, ends } = terms.words()
  const postingsStart = content.length
  const scratch = createByteWriter(1 << 16)
  const blocks = createByteWriter(1 << 20, memory)
  const index = createByteWriter(1 << 16)
  let [beforeStart, beforeEnd] = [0, 0]
  let blockStart = 0
  let work = 0
  for (let from = 0; from < order.length; ) {
    const { to, postings } = groupFrom(terms, order, from)
    const packed = yield* terms.groupPostings(order.subarray(from, to), postings, memory)
    let start = 0
    for (let position = from; position < to; position++) {
      const term = order[position] ?? 0
      const wordStart = term === 0 ? 0 : (ends[term - 1] ?? 0)
      const wordEnd = ends[term] ?? 0
      if (position % termsPerBlock === 0) {
        if (position > 0) index.varint(blocks.length - blockStart)
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
    memory.free(packed.buffer)
    from = to
  }
  if (order.length > 0) index.varint(blocks.length - blockStart)
  memory.free(order.buffer)
  end('postings')
  const written = blocks.take()
  content.bytes(written)
  memory.free(written.buffer)
  end('terms')
  compressInto(content, index.written())
  end('termIndex')
}
