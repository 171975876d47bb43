import { setImmediate } from 'node:timers/promises'
import { type Blocks, newBlocks } from './blocks.ts'
import type { SegmentSummary } from './catalogue.ts'
import type { MemoryIndex } from './memory-index.ts'
import { writeSegment } from './write-segment.ts'

export type EncodedSegment = { content: Uint8Array<ArrayBuffer>; summary: SegmentSummary }

/** Encodes a memory index as a segment, whose buffer the caller must free, with its summary. Other work runs between the steps. */
export const encodeSegment = async (index: MemoryIndex, blocks: Blocks = newBlocks): Promise<EncodedSegment> => {
  const steps = writeSegment(index, blocks)
  let step = steps.next()
  while (!step.done) {
    await setImmediate()
    step = steps.next()
  }
  const content = step.value
  const summary = {
    bytes: content.length,
    documents: index.documents,
    textBytes: index.textBytes,
    words: index.words,
    firstTime: index.streams.reduce((first, stream) => Math.min(first, stream.firstTime), Number.POSITIVE_INFINITY),
    lastTime: index.streams.reduce((last, stream) => Math.max(last, stream.lastTime), Number.NEGATIVE_INFINITY),
  }
  return { content, summary }
}
