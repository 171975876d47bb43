import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { encodeSegment } from '../segments/encode-segment.ts'
import type { MemoryIndex } from '../segments/memory-index.ts'
import type { NewSegment } from './shared-catalogue.ts'

/** All segments of replicas lie under this. */
export const segmentPrefix = 'segments/'

/** Turns a memory index into a segment that has a key but is nowhere yet. Others get their turn meanwhile. */
export const buildSegment = async (index: MemoryIndex): Promise<{ segment: NewSegment; content: Uint8Array }> => {
  const { content, summary } = await encodeSegment(index)
  const key = `${segmentPrefix}${randomBytes(12).toString('hex')}`
  return { segment: { key, checksum: crc32(content), ...summary }, content }
}
