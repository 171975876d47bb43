import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { encodeSegment } from '../segments/encode-segment.ts'
import type { MemoryIndex } from '../segments/memory-index.ts'
import type { NewSegment } from './shared-catalogue.ts'

/** Prefix of the keys of replicated segments. */
export const segmentPrefix = 'segments/'

/** Encodes a memory index as a segment with a new key, which is not written yet. Other work of the thread runs meanwhile. */
export const buildSegment = async (index: MemoryIndex): Promise<{ segment: NewSegment; content: Uint8Array }> => {
  const { content, summary } = await encodeSegment(index)
  const key = `${segmentPrefix}${randomBytes(12).toString('hex')}`
  return { segment: { key, checksum: crc32(content), ...summary }, content }
}
