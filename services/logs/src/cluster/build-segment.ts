import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { MemoryIndex } from '../segments/memory-index.ts'
import { writeSegment } from '../segments/write-segment.ts'
import type { NewSegment } from './shared-catalogue.ts'

/** All segments of replicas lie under this. */
export const segmentPrefix = 'segments/'

/** Turns a memory index into a segment that has a key but is nowhere yet. Others get their turn between its steps. */
export const buildSegment = async (index: MemoryIndex): Promise<{ segment: NewSegment; content: Uint8Array }> => {
  const steps = writeSegment(index)
  let step = steps.next()
  while (!step.done) {
    await setImmediate()
    step = steps.next()
  }
  const content = step.value
  const segment: NewSegment = {
    key: `${segmentPrefix}${randomBytes(12).toString('hex')}`,
    bytes: content.length,
    checksum: crc32(content),
    documents: index.documents,
    textBytes: index.textBytes,
    words: index.words,
    firstTime: index.streams.reduce((first, stream) => Math.min(first, stream.firstTime), Number.POSITIVE_INFINITY),
    lastTime: index.streams.reduce((last, stream) => Math.max(last, stream.lastTime), Number.NEGATIVE_INFINITY),
  }
  return { segment, content }
}
