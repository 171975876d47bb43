import { messageOf } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import { inLanes } from '../../search/lanes.ts'
import type { SegmentRow } from '../catalogue.ts'
import { damageNamed, isShortage } from '../read-damage.ts'
import { addFreed, type Freed, freedByReplacing, nothingFreed } from '../retention.ts'
import { createSegmentCache } from '../segment-cache.ts'
import { SegmentCorrupt } from '../segment-layout.ts'
import { openSegment, type Segment } from '../segment-reader.ts'

/** All segments of a shard lie under this. */
export const segmentPrefix = 'segments/'
/** Segments are opened so many at a time: most of it is waiting for files. */
const openedAtOnce = 16

export type OpenedSegment = { row: SegmentRow; segment: Segment }

export type OpenSegmentsOptions = {
  files: Files
  /** Bytes kept of what was read from segments. */
  cacheBytes: number
  /** Told of what cannot be read; all else goes on. */
  onDamage: (problem: string) => void
}

/**
 * The segments a shard reads from. It alone changes which these are, and each change is one step: whoever looks sees all of it or nothing.
 * Their rows are changed before (see `held-amendments.ts`), their files removed here once nobody reads them any more.
 */
export type OpenSegments = {
  /** Those there are now. A change makes another list. */
  all: () => readonly OpenedSegment[]
  find: (key: string) => OpenedSegment | undefined
  /** Opens the segments of rows; damaged ones are excluded and reported. Throws when descriptors or memory run out. */
  restore: (rows: readonly SegmentRow[]) => Promise<void>
  /** Opens one that was written, which does not make it one of them yet. Throws SegmentCorrupt. */
  open: (row: SegmentRow) => Promise<OpenedSegment>
  add: (opened: OpenedSegment) => void
  /** Some in place of others, whose files go as soon as nobody reads them. */
  replace: (old: readonly OpenedSegment[], added: readonly OpenedSegment[]) => void
  /** Reads them, which keeps their files; one that turns out damaged is excluded, and the others are read again. */
  look: <Result>(at: (opened: readonly OpenedSegment[]) => Promise<Result>) => Promise<Result>
  /** Leaves one out that turned out damaged; its file stays. */
  exclude: (damage: SegmentCorrupt) => void
  /** Keys of those that were left out. */
  readonly damaged: readonly string[]
  /** Removes the files that belong to none, and gives how much that was. */
  sweep: () => Promise<Freed>
  /** By all that was replaced since the shard was opened. */
  freed: () => Freed
  /** Forgets what was read. */
  dropCache: () => void
}

export const createOpenSegments = ({ files, cacheBytes, onDamage }: OpenSegmentsOptions): OpenSegments => {
  const cache = createSegmentCache(cacheBytes)
  const reads = damageNamed(files)
  const damaged: string[] = []
  /** Replaced, and still read by somebody: these go by themselves. */
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
      // Its segments would be missing from all that follows, though nothing is wrong with them.
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
