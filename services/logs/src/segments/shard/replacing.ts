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

/** With pseudonyms a text may be longer, at most by so much: `://a@` is the worst, with one in place of each `a`. */
const maxGrowth = 5

/** What becomes of an entry; undefined for nothing. */
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
 * Writes segments anew as they are to be seen now: without what is hidden, with the severities that were put in place. Both throw
 * SegmentCorrupt, and are to be called exclusively.
 */
export type Replacing = {
  /** One segment in place of one; none where nothing of it is left. */
  rewrite: (old: OpenedSegment, convert?: Convert) => Promise<void>
  /** One segment in place of several, which together have room in one. */
  merge: (old: readonly OpenedSegment[]) => Promise<void>
}

export const createReplacing = (options: ReplacingOptions): Replacing => {
  const { limits, blocks, analyse, write, segments, amendments } = options

  /** Severities that were put in place, while segments were written anew, of entries that are in none of these. */
  const dropLate = async (old: readonly OpenedSegment[], added: readonly OpenedSegment[]) => {
    const overridden = await overriddenIn(old.map(amendments.partOf))
    if (overridden.length === 0) return
    const stays = new Set((await overriddenIn(added.map(amendments.partOf))).map(({ key }) => key))
    const folded = overridden.filter(({ key }) => !stays.has(key))
    if (folded.length > 0) await amendments.commit({ amend: { folded } })
  }
  const replaceHeld = async (old: readonly OpenedSegment[], room: MemoryIndexLimits, convert?: Convert) => {
    const parts = old.map(amendments.partOf)
    const index = createMemoryIndex(room, { blocks })
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
  const replace = async (old: readonly OpenedSegment[], room: MemoryIndexLimits, convert?: Convert) => {
    for (const { segment } of old) segment.hold()
    try {
      await replaceHeld(old, room, convert)
    } finally {
      for (const { segment } of old) segment.release()
    }
  }
  return {
    rewrite: (old, convert) => {
      const { documents, textBytes } = old.row
      // Texts may become longer; a segment that was made of one large batch is larger than the limits, too.
      return replace([old], { documents, textBytes: textBytes * maxGrowth + limits.textBytes }, convert)
    },
    merge: (old) => replace(old, limits),
  }
}
