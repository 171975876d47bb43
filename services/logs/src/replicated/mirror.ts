import { createAmender } from '../segments/amended-part.ts'
import { type Amendments, indexAmendments, noAmendments } from '../segments/amendments.ts'
import type { Part } from '../segments/part.ts'
import { createSegmentCache } from '../segments/segment-cache.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import { openSegment, type Segment } from '../segments/segment-reader.ts'
import type { SegmentReads, SegmentSource } from './segment-source.ts'
import type { CatalogueChanges, SharedCatalogue, SharedSegment } from './shared-catalogue.ts'

export type Mirrored = { row: SharedSegment; segment: Segment }

/** Where a segment's newest entry came. */
export const placeOf = ({ row }: Mirrored): number => row.contentVersion

/** What one replica knows of the catalogue, with the segments opened. */
export type Mirror = {
  /** Catches up with the store: what was committed before the call is here after it. Those who ask at the same time share the way. */
  refresh: () => Promise<void>
  /** undefined before the first `refresh`. */
  readonly version: number | undefined
  /** Ascending by version. */
  readonly segments: readonly Mirrored[]
  /** A segment as it is to be seen now: without what was deleted, with severities that were put in place. */
  partOf: (mirrored: Mirrored) => Part
  readonly amendments: Amendments
  /** Whether a source was deleted at a version or after it. */
  isBuried: (sourceId: string, version: number) => boolean
  /** Whether there are segments that cannot be read. */
  readonly isDamaged: boolean
  /** Parts for one search; each is to be released. */
  hold: () => Part[]
  /**
   * Sees what can be done about a segment that could not be read: it may have been replaced, or only the copy here be damaged. When neither
   * helps it is named and left out. After that the search is to be done again.
   */
  mend: (damage: SegmentCorrupt) => Promise<void>
  /** Opens a segment beside those that count, to be retired by who asked; undefined where it cannot be read. */
  open: (row: SharedSegment) => Promise<Mirrored | undefined>
}

export type MirrorOptions = {
  catalogue: Pick<SharedCatalogue, 'changes'>
  source: SegmentSource
  /** Bytes of memory for what was read from segments. */
  cacheBytes: number
  /** Told once of each segment that cannot be read; all else goes on. */
  onDamage: (problem: string) => void
  /**
   * Told of segments with entries that were not there before, ascending by version; not of those that were there at the first `refresh`. To
   * be held at once by who wants to read them later.
   */
  onFresh: (fresh: readonly Mirrored[]) => void
  /** Whether to tell of them: some have to be opened for nothing else. */
  wantsFresh: () => boolean
  /** What cannot be read is tried again after so long: its file may have been brought back. Five minutes unless told. */
  retryMilliseconds?: number
}

/** Footers read at the same time. */
const opensAtOnce = 16
/** What fails again so soon after it was fetched anew is not to be helped. */
const mendsAfterMilliseconds = 60_000
/** New segments up to this size are fetched as they appear: the next search will read them. */
const maxFetchedAhead = 32 * 1024 * 1024

/** Mirrors a catalogue that others change, too. */
export const createMirror = (options: MirrorOptions): Mirror => {
  const { catalogue, source, cacheBytes, onDamage, onFresh, wantsFresh, retryMilliseconds = 5 * 60_000 } = options
  const cache = createSegmentCache(cacheBytes)
  const mendedAt = new Map<string, number>()
  const mending = new Map<string, Promise<void>>()
  const excluded = new Map<string, { row: SharedSegment; triedAt: number }>()
  let version: number | undefined
  let segments: Mirrored[] = []
  let amendments: Amendments = noAmendments
  let amendmentIndex = indexAmendments(amendments)
  const amend = createAmender()
  const partOf = (mirrored: Mirrored): Part => amend(mirrored.segment, placeOf(mirrored), amendmentIndex)
  /** Could not be opened: either they were replaced meanwhile, which the next look at the catalogue says, or they are damaged. */
  let missing: { row: SharedSegment; error: SegmentCorrupt }[] = []

  const open = async (row: SharedSegment): Promise<Mirrored> => {
    // Opening takes a glance at the end of the file; what comes after wants the file here.
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
  /** Opens a row; what cannot be read is fetched anew once, since a copy here may be all that is damaged. */
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
  /** Tells of what is new, of segments that were merged before they were seen here, too. */
  const tell = async (opened: readonly Mirrored[], passed: readonly SharedSegment[]) => {
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
    if (!isFirst && wantsFresh()) await tell(opened, passed)
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
  /** Those that can be read again, as a whole, are searched again. */
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
      mendedAt.delete(entry.row.key)
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
    // One that runs may have asked the store before this call: the next one counts.
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
    broken.segment.forget()
    await source.drop(key)
    try {
      if (performance.now() - (mendedAt.get(key) ?? Number.NEGATIVE_INFINITY) < mendsAfterMilliseconds) throw damage
      mendedAt.set(key, performance.now())
      await source.fetch(broken.row)
      const again = await open(broken.row)
      segments = segments.map((mirrored) => (mirrored === broken ? again : mirrored))
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      segments = segments.filter((mirrored) => mirrored !== broken)
      exclude(broken.row, error)
    }
  }
  /** Searches that meet the same damage at the same time have it mended once. */
  const mend = (damage: SegmentCorrupt): Promise<void> => {
    const key = damage.segment
    const mine = mending.get(key) ?? tryAgain(damage).finally(() => mending.delete(key))
    mending.set(key, mine)
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
    isBuried: (sourceId, place) => amendmentIndex.isBuried(sourceId, place),
    get isDamaged() {
      return excluded.size > 0
    },
    mend,
    open: tryOpen,
  }
}
