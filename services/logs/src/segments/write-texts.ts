import { createByteWriter } from './byte-writer.ts'
import { compressInto } from './compress.ts'
import type { MemoryIndex } from './memory-index.ts'
import type { SectionWriter } from './section-writer.ts'

/** Text is compressed in blocks of about so many bytes: what a hit has to read and unpack. */
const textBlockBytes = 64 * 1024

/**
 * Blocks are small, so they lack what a whole file repeats: a dictionary of pieces from all over the segment gives it back to them
 * (43.2 to 36.2 bytes a line on the reference corpus, 0.16 µs a line). Not worth its place under so many bytes of text.
 */
const dictionaryPieces = 256
const dictionaryPieceBytes = 256
const minTextForDictionary = 1024 * 1024

const dictionaryFor = ({ text, textBytes }: MemoryIndex): Buffer => {
  if (textBytes < minTextForDictionary) return Buffer.alloc(0)
  const step = Math.floor(textBytes / dictionaryPieces)
  const pieces = Array.from({ length: dictionaryPieces }, (_, piece) =>
    text.subarray(piece * step, piece * step + dictionaryPieceBytes),
  )
  return Buffer.concat(pieces)
}

/** Blocks of records: varint and text, varint and what the sender said (JSON, mostly nothing). The index has each block's documents and bytes. */
export function* writeTexts(memory: MemoryIndex, { content, end: endSection }: SectionWriter) {
  const { columns, documents, text, sender } = memory
  const dictionary = dictionaryFor(memory)
  const dictionaryOfBlocks = dictionary.length > 0 ? dictionary : undefined
  compressInto(content, dictionary)
  endSection('textDictionary')
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
    index.varint(blockDocuments)
    index.varint(compressInto(content, block.written(), dictionaryOfBlocks))
    block.clear()
    blockDocuments = 0
    yield
  }
  endSection('texts')
  compressInto(content, index.written())
  endSection('textIndex')
}
