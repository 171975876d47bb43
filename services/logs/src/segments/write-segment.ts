import { crc32 } from 'node:zlib'
import { allocate } from './allocate.ts'
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
  const texts = yield* writeTexts(index)
  add('textDictionary', [compress(texts.dictionary)])
  add('texts', texts.blocks)
  add('textIndex', [compress(texts.index)])
  for (const [name, bytes] of yield* writeColumns(index)) add(name, [bytes])
  const terms = yield* writeTerms(index)
  add('postings', [terms.postings])
  add('terms', [terms.blocks])
  add('termIndex', [terms.index])
  return yield* assemble(index, parts, offset, sections as Sections)
}

/** What a checksum takes in the footer at most, its comma included. */
const checksumBytes = 11
/** Bytes that are put in their place, or summed up, at a time. */
const bytesPerStep = 2 * 1024 * 1024

function* assemble(index: MemoryIndex, parts: Uint8Array[], bodyBytes: number, sections: Sections) {
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
