import { messageOf } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import { inLanes } from '../../search/lanes.ts'
import type { SegmentRow } from '../catalogue.ts'
import { damageNamed, isShortage } from '../read-damage.ts'
import { addFreed, type Freed, freedByReplacing, nothingFreed } from '../retention.ts'
import { createSegmentCache } from '../segment-cache.ts'
import { SegmentCorrupt } from '../segment-layout.ts'
import { openSegment, type Segment } from '../segment-reader.ts'

/** Prefix of the keys of a shard's segments. */
export const segmentPrefix = 'segments/'
/** The number of segments that are opened concurrently, which is mostly waiting for files. */
const openedAtOnce = 16

export type OpenedSegment = { row: SegmentRow; segment: Segment }

export type OpenSegmentsOptions = {
  files: Files
  /** Maximum memory of the cache of segment data, in bytes. */
  cacheBytes: number
  /** Called for data that cannot be read; the rest stays usable. */
  onDamage: (problem: string) => void
}

/**
 * The segments of a shard. It alone changes the list, and each change is atomic for readers. Rows are changed before (see `held-amendments.ts`),
 * and files are removed here once they have no readers.
 */
export type OpenSegments = {
  /** The current segments. A change creates another list. */
  all: () => readonly OpenedSegment[]
  find: (key: string) => OpenedSegment | undefined
  /** Opens the segments of rows; damaged ones are excluded and reported. Throws when descriptors or memory run out. */
  restore: (rows: readonly SegmentRow[]) => Promise<void>
  /** Opens a new segment without adding it to the list. Throws SegmentCorrupt. */
  open: (row: SegmentRow) => Promise<OpenedSegment>
  add: (opened: OpenedSegment) => void
  /** Replaces segments by others; files of the old ones are removed once they have no readers. */
  replace: (old: readonly OpenedSegment[], added: readonly OpenedSegment[]) => void
  /** Reads the segments, which retains their files; a damaged segment is excluded, and the others are read again. */
  look: <Result>(at: (opened: readonly OpenedSegment[]) => Promise<Result>) => Promise<Result>
  /** Excludes a damaged segment; its file stays. */
  exclude: (damage: SegmentCorrupt) => void
  /** Keys of excluded segments. */
  readonly damaged: readonly string[]
  /** Removes orphaned files, and returns what was freed. */
  sweep: () => Promise<Freed>
  /** Total freed by replacements since the shard was opened. */
  freed: () => Freed
  /** Clears the cache. */
  dropCache: () => void
}

export const createOpenSegments = ({ files, cacheBytes, onDamage }: OpenSegmentsOptions): OpenSegments => {
  const cache = createSegmentCache(cacheBytes)
  const reads = damageNamed(files)
  const damaged: string[] = []
  /** Segments that were replaced and still have readers; their files are removed when these finish. */
  const retired = new Set<string>()
  let segments: readonly OpenedSegment[] = []
  let freed = nothingFreed

  const noteDamage = (key: string, problem: string) => {
    damaged.push(key)
    onDamage(problem)
  }
  const open = async (row: SegmentRow): Promise<OpenedSegment> => {
    const { key, bytes } = row
    const onRetired = () => {
      retired.delete(key)
      files.remove(key).catch((error: unknown) => onDamage(String(error)))
    }
    return { row, segment: await openSegment({ files: reads, key, bytes, cache, onRetired }) }
  }
  const tryOpen = async (row: SegmentRow): Promise<OpenedSegment[]> => {
    try {
      return [await open(row)]
    } catch (error) {
      // A shortage is not damage: excluding the segment would hide intact entries.
      if (isShortage(error)) throw error
      noteDamage(row.key, messageOf(error))
      return []
    }
  }
  const retire = ({ row, segment }: OpenedSegment) => {
    retired.add(row.key)
    segment.retire()
  }

  const exclude = ({ segment: key, message }: SegmentCorrupt) => {
    const known = segments.length
    segments = segments.filter(({ row }) => row.key !== key)
    if (segments.length < known) noteDamage(key, message)
  }

  return {
    all: () => segments,
    find: (key) => segments.find(({ row }) => row.key === key),
    async restore(rows) {
      segments = (await inLanes(rows, openedAtOnce, tryOpen)).flat()
    },
    open,
    add: (opened) => {
      segments = [...segments, opened]
    },
    replace: (old, added) => {
      segments = [...segments.filter((one) => !old.includes(one)), ...added]
      freed = addFreed(freed, freedByReplacing(old.map(rowOf), added.map(rowOf)))
      old.forEach(retire)
    },
    async look(at) {
      for (;;) {
        const opened = segments
        for (const { segment } of opened) segment.hold()
        try {
          return await at(opened)
        } catch (error) {
          if (!(error instanceof SegmentCorrupt)) throw error
          exclude(error)
        } finally {
          for (const { segment } of opened) segment.release()
        }
      }
    },
    exclude,
    damaged,
    async sweep() {
      const named = new Set([...segments.map(({ row }) => row.key), ...damaged])
      let swept = nothingFreed
      for await (const { key, size } of files.list(segmentPrefix)) {
        if (named.has(key) || retired.has(key)) continue
        await files.remove(key)
        swept = addFreed(swept, { entries: 0, bytes: size, files: 1 })
      }
      return swept
    },
    freed: () => freed,
    dropCache: cache.clear,
  }
}

const rowOf = ({ row }: OpenedSegment): SegmentRow => row
