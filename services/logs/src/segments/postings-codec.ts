import type { ByteWriter } from './byte-writer.ts'
import type { Postings } from './occurrences.ts'
import { countBits, mostOften } from './posting.ts'

/**
 * Postings as a segment keeps them. A posting is one varint, twice the step from the document before, plus one when a varint with the
 * word's count in the document follows; a count of one needs none. Up to `blockSize` postings stand alone. More are cut into blocks,
 * with a table ahead: for each block the step of its last document, its bytes, the highest count and the lowest length code in it.
 * The last two bound any score the block can give, whatever the corpus' average is.
 */
export const blockSize = 128

const writePosting = (writer: ByteWriter, step: number, count: number) => {
  if (count === 1) writer.varint(step * 2)
  else {
    writer.varint(step * 2 + 1)
    writer.varint(count)
  }
}

/** Postings of one word among those that `groupPostings` gave: `total` from `start` on. */
export type PackedPostings = { packed: Uint32Array; start: number; total: number }

/** Writes the postings of a word; `scratch` is an empty writer to build the blocks in. */
export const writePostings = (
  writer: ByteWriter,
  scratch: ByteWriter,
  { packed, start, total }: PackedPostings,
  lengthCodes: Uint8Array,
): void => {
  const isLong = total > blockSize
  const target = isLong ? scratch : writer
  let before = -1
  let lastOfBlock = -1
  let blockStart = 0
  let mostInBlock = 0
  let shortest = 255
  for (let index = 0; index < total; index++) {
    const posting = packed[start + index] ?? 0
    const document = posting >>> countBits
    const count = posting & mostOften
    writePosting(target, document - before, count)
    before = document
    if (!isLong) continue
    mostInBlock = Math.max(mostInBlock, count)
    shortest = Math.min(shortest, lengthCodes[document] ?? 0)
    if ((index + 1) % blockSize !== 0 && index !== total - 1) continue
    writer.varint(document - lastOfBlock)
    writer.varint(scratch.length - blockStart)
    writer.byte(mostInBlock)
    writer.byte(shortest)
    lastOfBlock = document
    blockStart = scratch.length
    mostInBlock = 0
    shortest = 255
  }
  if (!isLong) return
  writer.bytes(scratch.written())
  scratch.clear()
}

/** Reads postings written by `writePostings`; `total` is their number. */
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
  mostInBlock: number
  shortest: number
}

/** The blocks of postings that have a table, and where the table ends. */
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
    const mostInBlock = bytes[position++] ?? 0
    const shortest = bytes[position++] ?? 0
    blocks.push({ firstAfter, last, offset, bytes: size, postings: Math.min(left, blockSize), mostInBlock, shortest })
    offset += size
  }
  return { blocks, end: position }
}
