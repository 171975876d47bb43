import { randomBytes } from 'node:crypto'
import type { Files } from '@trellis/kit/files'
import type { SeverityOverride } from '../amendments.ts'
import type { Blocks } from '../blocks.ts'
import type { SegmentRow } from '../catalogue.ts'
import { encodeSegment } from '../encode-segment.ts'
import type { MemoryIndex } from '../memory-index.ts'
import type { HeldAmendments } from './held-amendments.ts'
import { type OpenedSegment, type OpenSegments, segmentPrefix } from './open-segments.ts'

/** The segments that a new segment replaces, and the severity overrides that were folded into it. */
export type Replaced = { keys: string[]; folded: readonly SeverityOverride[] }

export type WriteOpenedOptions = {
  files: Files
  blocks: Blocks
  segments: Pick<OpenSegments, 'open'>
  amendments: Pick<HeldAmendments, 'commit'>
}

/**
 * Writes an index with the entries of the append log up to a position as a segment: its file, then atomically its row and the changes that belong
 * to it. Returns the opened segment, which the caller must add to the list.
 */
export type WriteOpened = (index: MemoryIndex, logPosition: number, replaced?: Replaced) => Promise<OpenedSegment>

export const createWriteOpened =
  ({ files, blocks, segments, amendments }: WriteOpenedOptions): WriteOpened =>
  async (index, logPosition, { keys, folded } = { keys: [], folded: [] }) => {
    const { content, summary } = await encodeSegment(index, blocks)
    const key = `${segmentPrefix}${String(logPosition).padStart(12, '0')}-${randomBytes(6).toString('hex')}`
    const row: SegmentRow = { key, logPosition, ...summary }
    await files.write(row.key, content)
    blocks.free(content.buffer)
    const opened = await segments.open(row)
    await amendments.commit({ add: [row], remove: keys, ...(folded.length > 0 && { amend: { folded } }) })
    return opened
  }
