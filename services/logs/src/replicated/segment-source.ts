import { crc32 } from 'node:zlib'
import { messageOf } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import { namingDamage } from '../segments/read-damage.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import type { LocalSegments } from './local-segments.ts'
import type { SharedSegment } from './shared-catalogue.ts'

type Described = Pick<SharedSegment, 'key' | 'bytes' | 'checksum'>
export type SegmentReads = Pick<Files, 'readRange'>

/** Reads segments from local copies or from the shared files. */
export type SegmentSource = {
  /** Reads of one segment. Throws SegmentCorrupt if the file is missing or cannot be read. */
  reads: (segment: Described) => SegmentReads
  /** Reads that fetch only the requested ranges, for segments that may never be searched. */
  glances: (segment: Described) => SegmentReads
  /** Ensures a local copy whose checksum is verified. Throws SegmentCorrupt. */
  fetch: (segment: Described) => Promise<void>
  /** Reads a whole segment from the shared files and verifies it. Throws SegmentCorrupt. */
  verify: (segment: Described) => Promise<void>
  /** Writes a new segment to the shared files, and a local copy. */
  write: (key: string, content: Uint8Array) => Promise<void>
  /** Removes a segment that was written and will never be committed. */
  discard: (key: string) => Promise<void>
  /** Removes the local copy. */
  drop: (key: string) => Promise<void>
}

/** How often a copy that is evicted while it is read is fetched again before reads bypass the cache. */
const maxFetches = 3
/**
 * Ranges of a remote segment are read one by one up to this share of its size: a search needs a footer, a part of the dictionary, some postings,
 * columns and the texts of its hits. Beyond that the whole segment is fetched, which is cheaper.
 */
const maxFarShare = 0.3
/** Smaller segments are fetched whole, which costs no more than a few ranges. */
const minForRanges = 1024 * 1024

export type SegmentSourceOptions = {
  files: Files
  /** The cache of local copies; without it all reads go to `files`. */
  local?: LocalSegments | undefined
  /** Whether `files` can read a range without reading everything before it. */
  readsRanges?: boolean
  /** Called when the cache cannot be written; reads continue without it. */
  onProblem: (problem: string) => void
}

export const createSegmentSource = (options: SegmentSourceOptions): SegmentSource => {
  const { files, local, readsRanges = false, onProblem } = options
  const fetching = new Map<string, Promise<void>>()
  /** Bytes that were read from each remote segment. */
  const farBytes = new Map<string, number>()
  /** Whether a range of a remote segment should be read alone; if so, counts its bytes. */
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
      if (content.length !== segment.bytes) throw new SegmentCorrupt(segment.key, 'its file is truncated')
      if (crc32(content) !== segment.checksum) throw new SegmentCorrupt(segment.key, 'its checksum does not match')
      return content
    })
  const writeCopy = async (cache: LocalSegments, key: string, content: Uint8Array) => {
    try {
      await cache.write(key, content)
    } catch (error) {
      onProblem(`A copy of segment "${key}" could not be written: ${messageOf(error)}`)
    }
  }
  const fetch = async (segment: Described): Promise<void> => {
    if (!local || (await namingDamage(segment.key, () => local.has(segment.key, segment.bytes)))) return
    const begun = fetching.get(segment.key)
    if (begun !== undefined) return begun
    farBytes.delete(segment.key)
    const mine = readWhole(segment)
      .then((content) => writeCopy(local, segment.key, content))
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
      if (local) await writeCopy(local, key, content)
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
