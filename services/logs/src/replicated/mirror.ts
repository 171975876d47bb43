import { createAmender } from '../segments/amended-part.ts'
import { type Amendments, indexAmendments, noAmendments } from '../segments/amendments.ts'
import type { Part } from '../segments/part.ts'
import { createSegmentCache } from '../segments/segment-cache.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import { openSegment, type Segment } from '../segments/segment-reader.ts'
import type { SegmentReads, SegmentSource } from './segment-source.ts'
import type { CatalogueChanges, SharedCatalogue, SharedSegment } from './shared-catalogue.ts'

export type Mirrored = { row: SharedSegment; segment: Segment }

/** The version that added a segment's newest entry. */
export const positionOf = ({ row }: Mirrored): number => row.contentVersion

/** The catalogue as one replica knows it, with open segments. */
export type Mirror = {
  /** Catches up with the store: afterwards all commits from before the call are visible. Concurrent calls are coalesced. */
  refresh: () => Promise<void>
  /** undefined before the first `refresh`. */
  readonly version: number | undefined
  /** Ascending by version. */
  readonly segments: readonly Mirrored[]
  /** A segment as of now: without deleted entries, with overridden severities. */
  partOf: (mirrored: Mirrored) => Part
  readonly amendments: Amendments
  /** Whether a source was deleted at this version or later. */
  isDeleted: (sourceId: string, version: number) => boolean
  /** Whether some segments cannot be read. */
  readonly isDamaged: boolean
  /** Parts for one search; each must be released. */
  hold: () => Part[]
  /**
   * Repairs a segment that could not be read: it may have been replaced, or only the local copy may be damaged. Otherwise it is reported and
   * excluded. Afterwards the search must be repeated.
   */
  repair: (damage: SegmentCorrupt) => Promise<void>
  /** Opens a segment beside the active ones; the caller must retire it. undefined if it cannot be read. */
  open: (row: SharedSegment) => Promise<Mirrored | undefined>
}

export type MirrorOptions = {
  catalogue: Pick<SharedCatalogue, 'changes'>
  source: SegmentSource
  /** Maximum memory of the cache of segment data, in bytes. */
  cacheBytes: number
  /** Called once for each segment that cannot be read; the others stay searchable. */
  onDamage: (problem: string) => void
  /**
   * Receives segments with new entries, ascending by version, except those of the first `refresh`. To read them later, the callee must hold them
   * synchronously.
   */
  onFresh: (fresh: readonly Mirrored[]) => void
  /** Whether to report fresh segments: some must be opened only for that. */
  reportsFresh: () => boolean
  /** Unreadable segments are retried after this time, because their files may have been restored. Defaults to five minutes. */
  retryMilliseconds?: number
}

/** Number of footers that are read concurrently. */
const opensAtOnce = 16
/** A segment that fails again within this time after it was fetched is excluded. */
const minRepairIntervalMilliseconds = 60_000
/** New segments up to this size are fetched as they appear, because the next search will read them. */
const maxFetchedAhead = 32 * 1024 * 1024

/** Mirrors a catalogue that other replicas change, too. */
export const createMirror = (options: MirrorOptions): Mirror => {
  const { catalogue, source, cacheBytes, onDamage, onFresh, reportsFresh, retryMilliseconds = 5 * 60_000 } = options
  const cache = createSegmentCache(cacheBytes)
  const repairedAt = new Map<string, number>()
  const repairing = new Map<string, Promise<void>>()
  const excluded = new Map<string, { row: SharedSegment; triedAt: number }>()
  let version: number | undefined
  let segments: Mirrored[] = []
  let amendments: Amendments = noAmendments
  let amendmentIndex = indexAmendments(amendments)
  const amend = createAmender()
  const partOf = (mirrored: Mirrored): Part => amend(mirrored.segment, positionOf(mirrored), amendmentIndex)
  /** Segments that could not be opened: either they were replaced meanwhile, which the next catalogue read shows, or they are damaged. */
  let missing: { row: SharedSegment; error: SegmentCorrupt }[] = []

  const open = async (row: SharedSegment): Promise<Mirrored> => {
    // Opening reads only the end of the file; later reads fetch a local copy.
    let reads: SegmentReads = source.glances(row)
    const segment = await openSegment({
      files: { readRange: (key, range) => reads.readRange(key, range) },
      keyFiles: source.glances(row),
      key: row.key,
      bytes: row.bytes,
      cache,
      onRetired: () => void source.drop(row.key).catch((error: unknown) => onDamage(String(error))),
    })
    reads = source.reads(row)
    return { row, segment }
  }
  const tryOpen = async (row: SharedSegment): Promise<Mirrored | undefined> => {
    try {
      return await open(row)
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      return undefined
    }
  }
  const exclude = (row: SharedSegment, damage: SegmentCorrupt) => {
    if (!excluded.has(row.key)) onDamage(damage.message)
    excluded.set(row.key, { row, triedAt: performance.now() })
  }
  /** Opens a row; on damage its local copy is dropped and it is opened once more from the shared files. */
  const openNew = async (row: SharedSegment, isFresh: boolean): Promise<Mirrored | undefined> => {
    try {
      if (isFresh && row.bytes <= maxFetchedAhead) await source.fetch(row)
      return await open(row)
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
    }
    try {
      await source.drop(row.key)
      return await open(row)
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      missing.push({ row, error })
      return undefined
    }
  }
  const openAll = async (rows: readonly SharedSegment[], isFresh: boolean): Promise<Mirrored[]> => {
    const opened: Mirrored[] = []
    const queue = [...rows]
    const next = async () => {
      for (let row = queue.shift(); row; row = queue.shift()) {
        const mirrored = await openNew(row, isFresh)
        if (mirrored) opened.push(mirrored)
      }
    }
    await Promise.all(Array.from({ length: opensAtOnce }, next))
    return opened
  }

  const isFresh = ({ row }: Mirrored) => row.contentVersion === row.version
  /** Reports segments with new entries, including those that were merged before this replica saw them. */
  const reportFresh = async (opened: readonly Mirrored[], passed: readonly SharedSegment[]) => {
    const gone = (await Promise.all(passed.map(tryOpen))).filter((mirrored) => mirrored !== undefined)
    onFresh([...opened, ...gone].filter(isFresh).toSorted((a, b) => a.row.version - b.row.version))
    for (const { segment } of gone) segment.retire()
  }
  const apply = async ({ added, removed, passed, isWhole, version: newest, amendments: amended }: CatalogueChanges) => {
    const isFirst = version === undefined
    const known = new Map(segments.map((mirrored) => [mirrored.row.key, mirrored]))
    const opened = await openAll(
      added.filter(({ key }) => !known.has(key) && !excluded.has(key)),
      !isWhole,
    )
    const counts = new Set(added.map(({ key }) => key))
    const gone = new Set(isWhole ? [...known.keys()].filter((key) => !counts.has(key)) : removed)
    if (!isFirst && reportsFresh()) await reportFresh(opened, passed)
    segments = [...segments.filter(({ row }) => !gone.has(row.key)), ...opened].toSorted(
      (a, b) => a.row.version - b.row.version,
    )
    version = newest
    if (amended) {
      amendments = amended
      amendmentIndex = indexAmendments(amended)
    }
    for (const key of gone) {
      known.get(key)?.segment.retire()
      excluded.delete(key)
    }
  }
  /** Includes excluded segments again once they can be read completely. */
  const tryExcluded = async () => {
    for (const entry of excluded.values()) {
      if (performance.now() - entry.triedAt < retryMilliseconds) continue
      entry.triedAt = performance.now()
      const mirrored = await source.verify(entry.row).then(
        () => tryOpen(entry.row),
        () => undefined,
      )
      if (!mirrored) continue
      excluded.delete(entry.row.key)
      repairedAt.delete(entry.row.key)
      segments = [...segments, mirrored].toSorted((a, b) => a.row.version - b.row.version)
    }
  }
  const catchUp = async () => {
    const changes = await catalogue.changes(version)
    if (changes) await apply(changes)
    await tryExcluded()
    if (missing.length === 0) return
    const later = await catalogue.changes(version)
    const unread = missing
    missing = []
    const replaced = new Set(later?.removed)
    for (const { row, error } of unread) if (!replaced.has(row.key)) exclude(row, error)
    if (later) await apply(later)
  }

  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  const start = () => {
    running = catchUp().finally(() => {
      running = undefined
    })
    return running
  }
  const refresh = (): Promise<void> => {
    if (!running) return start()
    // A running refresh may have read the store before this call, so the next one counts.
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined
        return start()
      })
    return following
  }

  const tryAgain = async (damage: SegmentCorrupt) => {
    const key = damage.segment
    await refresh()
    const broken = segments.find(({ row }) => row.key === key)
    if (!broken) return
    broken.segment.releaseCache()
    await source.drop(key)
    try {
      if (performance.now() - (repairedAt.get(key) ?? Number.NEGATIVE_INFINITY) < minRepairIntervalMilliseconds)
        throw damage
      repairedAt.set(key, performance.now())
      await source.fetch(broken.row)
      const again = await open(broken.row)
      segments = segments.map((mirrored) => (mirrored === broken ? again : mirrored))
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      segments = segments.filter((mirrored) => mirrored !== broken)
      exclude(broken.row, error)
    }
  }
  /** Searches that find the same damage concurrently share one repair. */
  const repair = (damage: SegmentCorrupt): Promise<void> => {
    const key = damage.segment
    const mine = repairing.get(key) ?? tryAgain(damage).finally(() => repairing.delete(key))
    repairing.set(key, mine)
    return mine
  }

  return {
    refresh,
    get version() {
      return version
    },
    get segments() {
      return segments
    },
    hold: () => {
      for (const { segment } of segments) segment.hold()
      return segments.map(partOf)
    },
    partOf,
    get amendments() {
      return amendments
    },
    isDeleted: (sourceId, position) => amendmentIndex.isDeleted(sourceId, position),
    get isDamaged() {
      return excluded.size > 0
    },
    repair,
    open: tryOpen,
  }
}
