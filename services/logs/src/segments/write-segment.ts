import { crc32 } from 'node:zlib'
import { type Blocks, newBlocks } from './blocks.ts'
import type { MemoryIndex } from './memory-index.ts'
import { createSectionWriter, type SectionWriter } from './section-writer.ts'
import { encodeTrailer, pageBytes, type Sections, type SegmentFooter } from './segment-layout.ts'
import { writeColumns } from './write-columns.ts'
import { writeTerms } from './write-terms.ts'
import { writeTexts } from './write-texts.ts'

/** More than most segments need: compression leaves about a third of the text and one and a half bytes per posting. */
const estimatedBytes = ({ textBytes, documents, terms }: MemoryIndex): number =>
  64 * 1024 + Math.ceil(textBytes / 2) + documents * 16 + terms.postings * 2

/**
 * Encodes a memory index as a segment. A generator, so that searches and batches run between its steps of a few milliseconds; the index must not
 * change meanwhile. The caller must free the memory of the result.
 */
export function* writeSegment(
  index: MemoryIndex,
  blocks: Blocks = newBlocks,
): Generator<undefined, Uint8Array<ArrayBuffer>> {
  const writer = createSectionWriter(estimatedBytes(index), blocks)
  yield* writeTexts(index, writer)
  yield* writeColumns(index, writer)
  yield* writeTerms(index, writer, blocks)
  return yield* finish(index, writer)
}

/** Bytes that are checksummed per step. */
const bytesPerStep = 2 * 1024 * 1024

function* finish(index: MemoryIndex, { content, sections }: SectionWriter) {
  const bodyBytes = content.length
  const body = content.written()
  const pageChecksums: number[] = []
  for (let page = 0; page < bodyBytes; page += pageBytes) {
    pageChecksums.push(crc32(body.subarray(page, Math.min(bodyBytes, page + pageBytes))))
    if (page % bytesPerStep === 0) yield
  }
  const footer: SegmentFooter = {
    documents: index.documents,
    words: index.words,
    firstTime: index.streams.reduce((first, stream) => Math.min(first, stream.firstTime), Number.POSITIVE_INFINITY),
    lastTime: index.streams.reduce((last, stream) => Math.max(last, stream.lastTime), Number.NEGATIVE_INFINITY),
    streams: index.streams,
    patternSets: index.patternSets,
    templates: index.templates,
    sections: sections as Sections,
    pageChecksums,
  }
  const footerBytes = new TextEncoder().encode(JSON.stringify(footer))
  content.bytes(footerBytes)
  content.bytes(encodeTrailer(bodyBytes, footerBytes))
  return content.take()
}
