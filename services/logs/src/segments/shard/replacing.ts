import type { StoredEntry } from '../../entries/entry.ts'
import type { EntryBatch } from '../../entries/entry-batch.ts'
import { overriddenIn } from '../amended-part.ts'
import type { BatchAnalysis } from '../batch-analysis.ts'
import type { Blocks } from '../blocks.ts'
import { refill } from '../compaction.ts'
import { createMemoryIndex, type MemoryIndexLimits } from '../memory-index.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { OpenedSegment, OpenSegments } from './open-segments.ts'
import type { WriteOpened } from './write-opened.ts'

/** Maximum growth of a text by pseudonyms; the worst case is `://a@` repeated, with a pseudonym for each `a`. */
const maxGrowth = 5

/** Returns the new entry; undefined to drop it. */
export type Convert = (entry: StoredEntry) => StoredEntry | undefined

export type ReplacingOptions = {
  limits: MemoryIndexLimits
  blocks: Blocks
  analyse: (batch: EntryBatch) => BatchAnalysis
  write: WriteOpened
  segments: Pick<OpenSegments, 'replace'>
  amendments: Pick<HeldAmendments, 'commit' | 'partOf'>
}

/**
 * Rewrites segments with their amendments: without hidden entries, with overridden severities. Both throw SegmentCorrupt, and must be called
 * exclusively.
 */
export type Replacing = {
  /** Replaces a segment by one, or by none if no entries are left. */
  rewrite: (old: OpenedSegment, convert?: Convert) => Promise<void>
  /** Replaces several segments, which must fit into one, by one. */
  merge: (old: readonly OpenedSegment[]) => Promise<void>
}

export const createReplacing = (options: ReplacingOptions): Replacing => {
  const { limits, blocks, analyse, write, segments, amendments } = options

  /** Deletes overrides that were set during the rewrite for entries that were dropped. */
  const dropLate = async (old: readonly OpenedSegment[], added: readonly OpenedSegment[]) => {
    const overridden = await overriddenIn(old.map(amendments.partOf))
    if (overridden.length === 0) return
    const stays = new Set((await overriddenIn(added.map(amendments.partOf))).map(({ key }) => key))
    const folded = overridden.filter(({ key }) => !stays.has(key))
    if (folded.length > 0) await amendments.commit({ amend: { folded } })
  }
  const replaceHeld = async (old: readonly OpenedSegment[], capacity: MemoryIndexLimits, convert?: Convert) => {
    const parts = old.map(amendments.partOf)
    const index = createMemoryIndex(capacity, { blocks })
    await refill(index, analyse, parts, convert)
    const keys = old.map(({ row }) => row.key)
    const folded = await overriddenIn(parts)
    if (index.documents === 0) {
      await amendments.commit({ remove: keys, amend: { folded } })
      segments.replace(old, [])
      await dropLate(old, [])
    } else {
      const logPosition = Math.max(...old.map(({ row }) => row.logPosition))
      const added = [await write(index, logPosition, { keys, folded })]
      segments.replace(old, added)
      if (convert) await dropLate(old, added)
    }
    index.retire()
  }
  const replace = async (old: readonly OpenedSegment[], capacity: MemoryIndexLimits, convert?: Convert) => {
    for (const { segment } of old) segment.hold()
    try {
      await replaceHeld(old, capacity, convert)
    } finally {
      for (const { segment } of old) segment.release()
    }
  }
  return {
    rewrite: (old, convert) => {
      const { documents, textBytes } = old.row
      // Texts may grow; a segment that was made of one large batch also exceeds the limits.
      return replace([old], { documents, textBytes: textBytes * maxGrowth + limits.textBytes }, convert)
    },
    merge: (old) => replace(old, limits),
  }
}
