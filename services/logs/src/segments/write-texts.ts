import { createByteWriter } from './byte-writer.ts'
import { compressInto } from './compress.ts'
import type { MemoryIndex } from './memory-index.ts'
import type { SectionWriter } from './section-writer.ts'

/** Approximate size of the blocks in which text is compressed; a hit must read and decompress one. */
const textBlockBytes = 64 * 1024

/**
 * Small blocks lack the repetitions of a whole file. A dictionary of samples from the whole segment compensates for that (43.2 to 36.2 bytes per
 * line on the reference corpus, at 0.16 µs per line). It is not worthwhile for smaller segments.
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

/**
 * Writes blocks of records: varint and text, varint and the sender's details (JSON, usually empty). The index has the number of documents and
 * bytes of each block.
 */
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
