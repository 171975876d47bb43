import { type ByteReader, createByteReader } from './byte-reader.ts'

/** The offsets of a dictionary's blocks and the first word of each; small enough to stay in memory. */
export type TermIndex = { words: Uint8Array[]; offsets: number[]; bytes: number }

/** A word of the dictionary: its only posting, or the range of its postings in their section. */
export type TermEntry = {
  word: Uint8Array
  documents: number
  inline: Uint8Array | undefined
  offset: number
  bytes: number
}

export const decodeTermIndex = (index: Uint8Array): TermIndex => {
  const reader = createByteReader(index)
  const words: Uint8Array[] = []
  const offsets: number[] = []
  let offset = 0
  while (reader.position < reader.end) {
    words.push(reader.bytes(reader.byte()))
    offsets.push(offset)
    offset += reader.varint()
  }
  offsets.push(offset)
  return { words, offsets, bytes: index.length + words.length * 100 }
}

/** The only block that may contain a word; -1 when it would come before the first. */
export const blockOf = ({ words }: TermIndex, word: Uint8Array): number => {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const first = words[middle]
    if (first && Buffer.compare(first, word) <= 0) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The words of a block in order. Each `word` is valid until the next one is read. */
export function* termsOfBlock(block: Uint8Array): Generator<TermEntry> {
  const reader = createByteReader(block)
  let offset = reader.varint()
  const word = new Uint8Array(256)
  while (reader.position < reader.end) {
    const lengths = reader.byte()
    const shared = lengths >>> 4 === 15 ? reader.byte() : lengths >>> 4
    const own = (lengths & 15) === 15 ? reader.byte() : lengths & 15
    word.set(reader.bytes(own), shared)
    const documents = reader.varint()
    const inline = documents === 1 ? inlinePosting(reader, block) : undefined
    const bytes = inline ? 0 : reader.varint()
    yield { word: word.subarray(0, shared + own), documents, inline, offset, bytes }
    offset += bytes
  }
}

export const startsWith = (word: Uint8Array, prefix: Uint8Array): boolean =>
  word.length >= prefix.length && prefix.every((byte, index) => word[index] === byte)

const inlinePosting = (reader: ByteReader, block: Uint8Array): Uint8Array => {
  const start = reader.position
  if (reader.varint() % 2 === 1) reader.varint()
  return block.subarray(start, reader.position)
}
