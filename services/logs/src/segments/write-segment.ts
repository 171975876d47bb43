import { crc32 } from 'node:zlib'
import { type Blocks, newBlocks } from './blocks.ts'
import { compress } from './compress.ts'
import type { MemoryIndex } from './memory-index.ts'
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
import { writeColumns } from './write-columns.ts'
import { writeTerms } from './write-terms.ts'
import { writeTexts } from './write-texts.ts'

/**
 * Turns a memory index into the bytes of a segment. A generator, so that searches and batches get their turn between its steps of a few
 * milliseconds; the index must not change meanwhile. The bytes are for who asks to give back.
 */
export function* writeSegment(
  index: MemoryIndex,
  blocks: Blocks = newBlocks,
): Generator<undefined, Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [encodeHeader()]
  let offset = headerBytes
  const sections: Partial<Record<SectionName, Section>> = {}
  const add = (name: SectionName, chunks: Uint8Array[]) => {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    sections[name] = { offset, bytes }
    parts.push(...chunks)
    offset += bytes
  }
  const texts = yield* writeTexts(index)
  add('textDictionary', [compress(texts.dictionary)])
  add('texts', texts.blocks)
  add('textIndex', [compress(texts.index)])
  for (const [name, bytes] of yield* writeColumns(index)) add(name, [bytes])
  const terms = yield* writeTerms(index, blocks)
  add('postings', [terms.postings])
  add('terms', [terms.blocks])
  add('termIndex', [terms.index])
  const assembly = { index, parts, bodyBytes: offset, sections: sections as Sections }
  const content = yield* assemble(assembly, blocks)
  blocks.giveBack(terms.postings.buffer)
  blocks.giveBack(terms.blocks.buffer)
  return content
}

type Assembly = { index: MemoryIndex; parts: Uint8Array[]; bodyBytes: number; sections: Sections }

/** What a checksum takes in the footer at most, its comma included. */
const checksumBytes = 11
/** Bytes that are put in their place, or summed up, at a time. */
const bytesPerStep = 2 * 1024 * 1024

function* assemble({ index, parts, bodyBytes, sections }: Assembly, blocks: Blocks) {
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
  const content = new Uint8Array(blocks.take(most))
  let end = 0
  const append = (bytes: Uint8Array) => {
    content.set(bytes, end)
    end += bytes.length
  }
  for (const part of parts) {
    for (let start = 0; start < part.length; start += bytesPerStep) {
      const before = end
      append(part.subarray(start, start + bytesPerStep))
      if (Math.floor(before / bytesPerStep) !== Math.floor(end / bytesPerStep)) yield
    }
  }
  for (let page = 0; page < bodyBytes; page += pageBytes) {
    footer.pageChecksums.push(crc32(content.subarray(page, Math.min(bodyBytes, page + pageBytes))))
    if (page % bytesPerStep === 0) yield
  }
  const footerBytes = encoder.encode(JSON.stringify(footer))
  append(footerBytes)
  append(encodeTrailer(bodyBytes, footerBytes))
  return content.subarray(0, end)
}
