import type { SenderDetails } from '../entries/entry.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'

/** The first document of each block of texts, and the offsets of the blocks. */
export type TextIndex = { firstDocuments: number[]; offsets: number[] }

export const decodeTextIndex = (bytes: Uint8Array): TextIndex => {
  const reader = createByteReader(bytes)
  const firstDocuments = [0]
  const offsets = [0]
  while (reader.position < reader.end) {
    firstDocuments.push((firstDocuments.at(-1) ?? 0) + reader.varint())
    offsets.push((offsets.at(-1) ?? 0) + reader.varint())
  }
  return { firstDocuments, offsets }
}

/** The block that contains a document. */
export const blockWith = (firstDocuments: number[], document: number): number => {
  let low = 0
  let high = firstDocuments.length - 1
  while (low + 1 < high) {
    const middle = (low + high) >>> 1
    if ((firstDocuments[middle] ?? 0) <= document) low = middle
    else high = middle
  }
  return low
}

/** The start of each record in a decompressed block. */
export const recordStarts = (content: Uint8Array, records: number): Uint32Array => {
  const reader = createByteReader(content)
  const starts = new Uint32Array(records)
  for (let record = 0; record < records; record++) {
    starts[record] = reader.position
    const text = reader.varint()
    reader.position += text
    const details = reader.varint()
    reader.position += details
  }
  return starts
}

export const readRecord = (reader: ByteReader): { text: string; sender: SenderDetails | null } => {
  const text = reader.bytes(reader.varint())
  const details = reader.bytes(reader.varint())
  return {
    text: Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('utf8'),
    sender: details.length === 0 ? null : (JSON.parse(new TextDecoder().decode(details)) as SenderDetails),
  }
}
