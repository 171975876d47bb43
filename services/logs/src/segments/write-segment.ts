import { constants, crc32, zstdCompressSync } from 'node:zlib'
import { allocate } from './allocate.ts'
import { type ByteWriter, createByteWriter } from './byte-writer.ts'
import type { MemoryIndex } from './memory-index.ts'
import { writePostings } from './postings-codec.ts'
import {
  encodeHeader,
  encodeTrailer,
  headerBytes,
  pageBytes,
  type Section,
  type SectionName,
  type Sections,
  type SegmentFooter,
  trailerBytes,
} from './segment-layout.ts'
import { sortTerms } from './sort-terms.ts'

/** Text is compressed in blocks of about so many bytes: what a hit has to read and unpack. */
export const textBlockBytes = 64 * 1024
/** Words in a block of the dictionary: what a look-up has to read through. */
export const termsPerBlock = 64
const termsPerStep = 4_000

const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const compress = (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes, fast)

/**
 * Blocks are small, so they lack what a whole file repeats: a dictionary of pieces from all over the segment gives it back to them
 * (43.2 to 36.2 bytes a line on the reference corpus, 0.16 µs a line). Not worth its place under so many bytes of text.
 */
const dictionaryPieces = 256
const dictionaryPieceBytes = 256
const leastTextForDictionary = 1024 * 1024

const dictionaryFor = ({ text, textBytes }: MemoryIndex): Buffer => {
  if (textBytes < leastTextForDictionary) return Buffer.alloc(0)
  const step = Math.floor(textBytes / dictionaryPieces)
  const pieces = Array.from({ length: dictionaryPieces }, (_, piece) =>
    text.subarray(piece * step, piece * step + dictionaryPieceBytes),
  )
  return Buffer.concat(pieces)
}

/** Maps all integers to those from 0 up, small ones to small ones. */
export const zigzag = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2)

const encodeDeltas = (values: Float64Array | Uint32Array, count: number): Uint8Array => {
  const writer = createByteWriter(count * 2)
  let before = 0
  for (let index = 0; index < count; index++) {
    const value = values[index] ?? 0
    writer.varint(zigzag(value - before))
    before = value
  }
  return writer.take()
}

const bytesOf = (values: Uint16Array | Uint32Array | Uint8Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

/**
 * Turns a memory index into the bytes of a segment. A generator, so that searches and batches get their turn between its steps of a few
 * milliseconds; the index must not change meanwhile.
 */
export function* writeSegment(index: MemoryIndex): Generator<undefined, Uint8Array> {
  const parts: Uint8Array[] = [encodeHeader()]
  let offset = headerBytes
  const sections: Partial<Record<SectionName, Section>> = {}
  const add = (name: SectionName, chunks: Uint8Array[]) => {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    sections[name] = { offset, bytes }
    parts.push(...chunks)
    offset += bytes
  }
  const { columns, documents } = index
  const texts = yield* writeTexts(index)
  add('textDictionary', [compress(texts.dictionary)])
  add('texts', texts.blocks)
  add('textIndex', [compress(texts.index)])
  add('times', [compress(encodeDeltas(columns.times, documents))])
  add('ingestTimes', [compress(encodeDeltas(columns.ingestTimes, documents))])
  add('sequences', [compress(encodeDeltas(columns.sequences, documents))])
  add('repeats', [compress(encodeDeltas(columns.repeats, documents))])
  yield
  add('streams', [compress(bytesOf(columns.streamOf.subarray(0, documents)))])
  add('patternSets', [compress(bytesOf(columns.patternSetOf.subarray(0, documents)))])
  add('templates', [compress(bytesOf(columns.templateOf.subarray(0, documents)))])
  add('lengthCodes', [compress(columns.lengthCodes.subarray(0, documents))])
  add('flags', [compress(columns.flags.subarray(0, documents))])
  add('severities', [compress(severityBits(index))])
  add('keys', [keyPrefixes(index)])
  yield
  const terms = yield* writeTerms(index)
  add('postings', [terms.postings])
  add('terms', [terms.blocks])
  add('termIndex', [compress(terms.index)])
  return assemble(index, parts, offset, sections as Sections)
}

/** What a checksum takes in the footer at most, its comma included. */
const checksumBytes = 11

const assemble = (index: MemoryIndex, parts: Uint8Array[], bodyBytes: number, sections: Sections) => {
  const footer: SegmentFooter = {
    documents: index.documents,
    words: index.words,
    firstTime: index.streams.reduce((first, stream) => Math.min(first, stream.firstTime), Number.POSITIVE_INFINITY),
    lastTime: index.streams.reduce((last, stream) => Math.max(last, stream.lastTime), Number.NEGATIVE_INFINITY),
    streams: index.streams,
    patternSets: index.patternSets,
    templates: index.templates,
    sections,
    pageChecksums: [],
  }
  const encoder = new TextEncoder()
  const mostChecksumBytes = Math.ceil(bodyBytes / pageBytes) * checksumBytes
  const most = bodyBytes + encoder.encode(JSON.stringify(footer)).length + mostChecksumBytes + trailerBytes
  const content = Buffer.from(allocate(most), 0, most)
  let end = 0
  const append = (bytes: Uint8Array) => {
    content.set(bytes, end)
    end += bytes.length
  }
  parts.forEach(append)
  for (let page = 0; page < bodyBytes; page += pageBytes)
    footer.pageChecksums.push(crc32(content.subarray(page, Math.min(bodyBytes, page + pageBytes))))
  const footerBytes = encoder.encode(JSON.stringify(footer))
  append(footerBytes)
  append(encodeTrailer(bodyBytes, footerBytes))
  return content.subarray(0, end)
}

/** Blocks of records: varint and text, varint and what the sender said (JSON, mostly nothing). The index has each block's documents and bytes. */
function* writeTexts(memory: MemoryIndex) {
  const { columns, documents, text, sender } = memory
  const dictionary = dictionaryFor(memory)
  const options = dictionary.length > 0 ? { ...fast, dictionary } : fast
  const blocks: Uint8Array[] = []
  const index = createByteWriter()
  const block = createByteWriter(textBlockBytes * 2)
  const encoder = new TextEncoder()
  let blockDocuments = 0
  let start = 0
  for (let document = 0; document < documents; document++) {
    const end = columns.textEnds[document] ?? 0
    block.varint(end - start)
    block.bytes(text, start, end)
    const details = sender.get(document)
    const detailBytes = details ? encoder.encode(JSON.stringify(details)) : undefined
    block.varint(detailBytes?.length ?? 0)
    if (detailBytes) block.bytes(detailBytes)
    start = end
    blockDocuments++
    if (block.length < textBlockBytes && document !== documents - 1) continue
    const packed = zstdCompressSync(block.written(), options)
    block.clear()
    blocks.push(packed)
    index.varint(blockDocuments)
    index.varint(packed.length)
    blockDocuments = 0
    yield
  }
  return { dictionary, blocks, index: index.take() }
}

/** Shared and own length take four bits each of one byte; 15 says that a byte of its own follows. */
const writeWord = (blocks: ByteWriter, bytes: Uint8Array, [start, end]: readonly [number, number], shared: number) => {
  const own = end - start - shared
  blocks.byte((Math.min(shared, 15) << 4) | Math.min(own, 15))
  if (shared >= 15) blocks.byte(shared)
  if (own >= 15) blocks.byte(own)
  blocks.bytes(bytes, start + shared, end)
}

const severityBits = ({ columns, documents }: MemoryIndex): Uint8Array => {
  const words = (documents + 31) >>> 5
  const all = new Uint32Array(words * 3)
  columns.severities.forEach((bitmap, severity) => {
    all.set(bitmap.subarray(0, words), severity * words)
  })
  return bytesOf(all)
}

const keyPrefixes = ({ columns, documents }: MemoryIndex): Uint8Array => {
  const prefixes = new Uint8Array(documents * 4)
  for (let document = 0; document < documents; document++) {
    for (let byte = 0; byte < 4; byte++) prefixes[document * 4 + byte] = columns.keys[document * 16 + byte] ?? 0
  }
  return prefixes
}

/**
 * The dictionary: blocks of words in byte order. A block begins with where its postings start (varint); then for each word the bytes it
 * shares with the one before (none for the first), the rest of it, the number of its documents and the bytes of its postings; the posting
 * of a word that only one document has stands right there instead. The index has for each block its first word and its length.
 */
function* writeTerms({ terms, columns }: MemoryIndex) {
  const order = sortTerms(terms)
  yield
  const packed = terms.groupPostings(order)
  yield
  const { bytes, ends } = terms.words()
  let start = 0
  const postings = createByteWriter(1 << 20)
  const scratch = createByteWriter(1 << 16)
  const blocks = createByteWriter(1 << 20)
  const index = createByteWriter(1 << 16)
  let [beforeStart, beforeEnd] = [0, 0]
  let blockStart = 0
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
    if (place % termsPerStep === termsPerStep - 1) yield
  }
  if (order.length > 0) index.varint(blocks.length - blockStart)
  return { postings: postings.take(), blocks: blocks.take(), index: index.take() }
}
