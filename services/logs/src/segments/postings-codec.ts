import type { ByteWriter } from './byte-writer.ts'
import type { Postings } from './occurrences.ts'
import { countBits, maxCount } from './posting.ts'

/**
 * The encoding of postings in a segment. A posting is one varint: twice the delta from the previous document, plus one if a varint with the
 * word's count in the document follows; a count of one needs none. Up to `blockSize` postings have no table. More are split into blocks, with a
 * table in front: for each block the delta of its last document, its bytes, the highest count and the lowest length code in it. The last two
 * bound the scores in the block for any average length of the corpus.
 */
export const blockSize = 128

/** A delta of 24 bits and its flag take four bytes, a count of eight bits two. */
const maxPostingBytes = 6

/** The postings of one word in the output of `groupPostings`: `total` from `start` on. */
export type PackedPostings = { packed: Uint32Array; start: number; total: number }

/** Writes postings to memory from an offset on and returns their end; `before` is the document before the first. */
const put = (target: Uint8Array, offset: number, { packed, start, total }: PackedPostings, before: number): number => {
  let end = offset
  let last = before
  for (let index = start; index < start + total; index++) {
    const posting = packed[index] ?? 0
    const document = posting >>> countBits
    const count = posting & maxCount
    let step = (document - last) * 2 + (count === 1 ? 0 : 1)
    last = document
    for (; step >= 0x80; step >>>= 7) target[end++] = (step & 0x7f) | 0x80
    target[end++] = step
    if (count === 1) continue
    if (count >= 0x80) target[end++] = count
    target[end++] = count >= 0x80 ? 1 : count
  }
  return end
}

/** Writes the postings of a word; `scratch` is an empty writer for the blocks. */
export const writePostings = (
  writer: ByteWriter,
  scratch: ByteWriter,
  postings: PackedPostings,
  lengthCodes: Uint8Array,
): void => {
  const { packed, start, total } = postings
  if (total <= blockSize) {
    const target = writer.reserve(total * maxPostingBytes)
    writer.advanceTo(put(target, writer.length, postings, -1))
    return
  }
  let before = -1
  for (let done = 0; done < total; done += blockSize) {
    const block = { packed, start: start + done, total: Math.min(blockSize, total - done) }
    const blockStart = scratch.length
    const target = scratch.reserve(blockSize * maxPostingBytes)
    scratch.advanceTo(put(target, blockStart, block, before))
    let maxInBlock = 0
    let shortest = 255
    for (let index = block.start; index < block.start + block.total; index++) {
      const posting = packed[index] ?? 0
      maxInBlock = Math.max(maxInBlock, posting & maxCount)
      shortest = Math.min(shortest, lengthCodes[posting >>> countBits] ?? 0)
    }
    const last = (packed[block.start + block.total - 1] ?? 0) >>> countBits
    writer.varint(last - before)
    writer.varint(scratch.length - blockStart)
    writer.byte(maxInBlock)
    writer.byte(shortest)
    before = last
  }
  writer.bytes(scratch.written())
  scratch.clear()
}

/** Reads the output of `writePostings`; `total` is the number of postings. */
export const readPostings = (bytes: Uint8Array, total: number): Postings => {
  const documents = new Uint32Array(total)
  const counts = new Uint8Array(total)
  let position = total <= blockSize ? 0 : tableOf(bytes, total).end
  let document = -1
  for (let index = 0; index < total; index++) {
    let byte = bytes[position++] ?? 0
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[position++] ?? 0
      value |= (byte & 0x7f) << shift
    }
    document += value >>> 1
    documents[index] = document
    if ((value & 1) === 0) counts[index] = 1
    else {
      byte = bytes[position++] ?? 0
      value = byte & 0x7f
      if (byte >= 0x80) value |= (bytes[position++] ?? 0) << 7
      counts[index] = value
    }
  }
  return { documents, counts }
}

export type PostingBlock = {
  firstAfter: number
  last: number
  offset: number
  bytes: number
  postings: number
  maxInBlock: number
  shortest: number
}

/** The block table of more than `blockSize` postings, and its end. */
export const tableOf = (bytes: Uint8Array, total: number): { blocks: PostingBlock[]; end: number } => {
  const blocks: PostingBlock[] = []
  let position = 0
  const varint = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[position++] ?? 0
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  let last = -1
  let offset = 0
  for (let left = total; left > 0; left -= blockSize) {
    const firstAfter = last
    last += varint()
    const size = varint()
    const maxInBlock = bytes[position++] ?? 0
    const shortest = bytes[position++] ?? 0
    blocks.push({ firstAfter, last, offset, bytes: size, postings: Math.min(left, blockSize), maxInBlock, shortest })
    offset += size
  }
  return { blocks, end: position }
}
