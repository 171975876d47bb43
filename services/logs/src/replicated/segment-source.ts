import { crc32 } from 'node:zlib'
import { messageOf } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import { namingDamage } from '../segments/read-damage.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import type { LocalSegments } from './local-segments.ts'
import type { SharedSegment } from './shared-catalogue.ts'

type Described = Pick<SharedSegment, 'key' | 'bytes' | 'checksum'>
export type SegmentReads = Pick<Files, 'readRange'>

/** Where the bytes of segments come from: this machine's copies, else the shared files. */
export type SegmentSource = {
  /** Reads of one segment. Throws SegmentCorrupt where the file is missing or cannot be read. */
  reads: (segment: Described) => SegmentReads
  /** Reads that fetch no more than they need, for a look at a segment that may never be searched. */
  glances: (segment: Described) => SegmentReads
  /** Sees to it that there is a copy here, checked as a whole. Throws SegmentCorrupt. */
  fetch: (segment: Described) => Promise<void>
  /** Reads all of a segment where all have it. Throws SegmentCorrupt. */
  verify: (segment: Described) => Promise<void>
  /** Writes a new segment for all, and a copy for this machine. */
  write: (key: string, content: Uint8Array) => Promise<void>
  /** Removes a segment that was written and will never count. */
  discard: (key: string) => Promise<void>
  /** Lets go of the copy here. */
  drop: (key: string) => Promise<void>
}

/** How often a copy that was removed while it was read is fetched again before reads go past the cache. */
const maxFetches = 3
/**
 * Of a segment that is not here, ranges are read until they come to this share of it: a search wants a footer, a piece of the dictionary,
 * some postings, columns and the text of its hits. Who wants more is better off with all of it.
 */
const maxFarShare = 0.3
/** A smaller one is here as soon as a few ranges of it are. */
const minForRanges = 1024 * 1024

export type SegmentSourceOptions = {
  files: Files
  /** Where copies are kept; without it all reads go to `files`. */
  local?: LocalSegments | undefined
  /** Whether `files` gives a range without reading all that is before it. */
  readsRanges?: boolean
  /** Hears of a cache that cannot be written: reads go on without. */
  onProblem: (problem: string) => void
}

export const createSegmentSource = (options: SegmentSourceOptions): SegmentSource => {
  const { files, local, readsRanges = false, onProblem } = options
  const fetching = new Map<string, Promise<void>>()
  /** Bytes that were read of segments that are not here. */
  const farBytes = new Map<string, number>()
  /** Whether a range of a segment that is not here is better read alone; counts it then. */
  const isWorthARange = ({ key, bytes }: Described, { start, end }: { start: number; end: number }): boolean => {
    if (!readsRanges || bytes < minForRanges) return false
    const far = (farBytes.get(key) ?? 0) + end - start
    if (far > bytes * maxFarShare) return false
    farBytes.set(key, far)
    return true
  }

  const readWhole = (segment: Described) =>
    namingDamage(segment.key, async () => {
      const content = await files.readRange(segment.key, { start: 0, end: segment.bytes })
      if (content.length !== segment.bytes) throw new SegmentCorrupt(segment.key, 'it is shorter than it was written')
      if (crc32(content) !== segment.checksum) throw new SegmentCorrupt(segment.key, 'it does not check as a whole')
      return content
    })
  const keepCopy = async (cache: LocalSegments, key: string, content: Uint8Array) => {
    try {
      await cache.write(key, content)
    } catch (error) {
      onProblem(`A copy of segment "${key}" could not be kept: ${messageOf(error)}`)
    }
  }
  const fetch = async (segment: Described): Promise<void> => {
    if (!local || (await namingDamage(segment.key, () => local.has(segment.key, segment.bytes)))) return
    const begun = fetching.get(segment.key)
    if (begun !== undefined) return begun
    farBytes.delete(segment.key)
    const mine = readWhole(segment)
      .then((content) => keepCopy(local, segment.key, content))
      .finally(() => fetching.delete(segment.key))
    fetching.set(segment.key, mine)
    return mine
  }
  const readsOf = (segment: Described, fetches: number): SegmentReads => ({
    readRange: async (key, range) => {
      for (let left = fetches; local; left--) {
        const found = await namingDamage(key, () => local.readRange(key, segment.bytes, range))
        if (found) return found
        if (left === 0 || isWorthARange(segment, range)) break
        await fetch(segment)
      }
      return namingDamage(key, () => files.readRange(key, range))
    },
  })
  return {
    reads: (segment) => readsOf(segment, maxFetches),
    glances: (segment) => readsOf(segment, 0),
    fetch,
    verify: async (segment) => {
      await readWhole(segment)
    },
    write: async (key, content) => {
      await files.write(key, content)
      if (local) await keepCopy(local, key, content)
    },
    discard: async (key) => {
      await local?.remove(key)
      await files.remove(key)
    },
    drop: async (key) => {
      farBytes.delete(key)
      await local?.remove(key)
    },
  }
}
