import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { failure } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import type { StoredEntry } from '../entries/entry.ts'
import { decodeBatch, type EntryBatch } from '../entries/entry-batch.ts'
import { keyOfEntryId } from '../entries/identity.ts'
import { type Severity, severityCode } from '../entries/severity-code.ts'
import { inLanes } from '../search/lanes.ts'
import type { Templates } from '../templates/templates.ts'
import { createAmender, isAmended } from './amended-part.ts'
import {
  type Amendments,
  changed,
  indexAmendments,
  isOf,
  mostOverrides,
  noAmendments,
  type SeverityOverride,
} from './amendments.ts'
import type { AppendLog } from './append-log.ts'
import { type BatchAnalysis, createBatchAnalyser } from './batch-analysis.ts'
import { createBudget } from './budget.ts'
import { createByteCache } from './byte-cache.ts'
import type { Catalogue, CatalogueChange, SegmentRow } from './catalogue.ts'
import { chooseForMerge, refill } from './compaction.ts'
import { countSources } from './count-sources.ts'
import { writeFailure } from './disk-full.ts'
import type { Enricher } from './enricher.ts'
import { findDuplicates } from './find-duplicates.ts'
import { findEntry } from './find-entry.ts'
import { createMemoryIndex, type MemoryIndex } from './memory-index.ts'
import type { Part } from './part.ts'
import {
  addFreed,
  type Care,
  type Freed,
  isExpired,
  keepsAll,
  lessFreed,
  nothingFreed,
  planRetention,
} from './retention.ts'
import { createRewriter, type Rewrite, type Rewritten } from './rewrite.ts'
import { SegmentCorrupt } from './segment-layout.ts'
import { openSegment, type Segment } from './segment-reader.ts'
import { writeSegment } from './write-segment.ts'

export type ShardLimits = {
  /** Entries in the memory index, and so in a segment. */
  documents: number
  /** Bytes of text in the memory index. */
  textBytes: number
  /** Bytes kept of what was read from segments. */
  cacheBytes: number
}

export const shardLimits: ShardLimits = {
  documents: 131_072,
  textBytes: 32 * 1024 * 1024,
  cacheBytes: 96 * 1024 * 1024,
}

export type ShardOptions = {
  files: Files
  log: AppendLog
  catalogue: Pick<Catalogue, 'read' | 'change'>
  enricher: Enricher
  /** Finds the templates of messages; without it entries have none. */
  templates?: Pick<Templates, 'idsOf'>
  limits?: ShardLimits
  /** Told of what cannot be read; all else goes on. */
  onDamage: (problem: string) => void
}

export type IngestResult = { entries: number; duplicates: number }
export type IngestOptions = {
  /** What the batch's texts say, where another thread has found it out already. */
  analysis?: BatchAnalysis | undefined
  /** Hears of the entries that were not known, once they are durable: from one document of an index up to but without another. */
  onNew?: (index: MemoryIndex, from: number, to: number) => void
}

/**
 * One index: what came in last in memory, the rest in segments. Whatever `ingest` has answered is durable and searchable.
 * Order of a crash-safe life: append log, memory index, segment file, catalogue row, append log trimmed.
 */
export type Shard = AsyncDisposable & {
  /** Keeps a batch (see `encodeBatch`). */
  ingest: (batch: ArrayBuffer, options?: IngestOptions) => Promise<IngestResult>
  /** The parts there are now, for one search; each is to be released. */
  parts: () => Part[]
  /** Reports a part that turned out damaged: it is left out from now on. */
  exclude: (damage: SegmentCorrupt) => void
  /** Writes the memory index to a segment now. */
  flush: () => Promise<void>
  /**
   * Writes anew each segment that has anything to change, one after the other; between two of them entries are taken. A segment takes the
   * place of another in one step, and what is replaced is gone from disk, from the append log, too. Broken off, all is as it was or as it
   * should be, segment by segment.
   */
  rewrite: (rewrite: Rewrite) => Promise<Rewritten>
  /**
   * Hides all entries of a source, or of all units of a stem, and gives how many there were. It holds from when it is answered on; segments
   * are written anew without them in the background.
   */
  deleteSource: (source: string) => Promise<number>
  /** Puts a severity in place of an entry's; undefined where there is no such entry. */
  setSeverity: (entryId: string, severity: Severity | null) => Promise<StoredEntry | undefined>
  /**
   * Lets go of what was kept long enough and, where it is to be thorough, writes segments anew with all that is hidden or was changed, merges
   * what is worth it, and removes files that nothing names. One segment at a time; entries are taken meanwhile, and have precedence.
   */
  maintain: (care: Care) => Promise<Freed>
  /** Resolves when nothing is being merged or written anew. */
  settled: () => Promise<void>
  /** Forgets what was read from segments. */
  dropCache: () => void
  readonly damaged: readonly string[]
}

type OpenedSegment = { row: SegmentRow; segment: Segment }
/** With pseudonyms a text may be longer, at most by so much: `://a@` is the worst, with one in place of each `a`. */
const mostGrowth = 5

/** While entries come in, segments are written anew in this share of the time. */
const upkeepShare = 0.25
const hour = 3_600_000
/** Segments are opened so many at a time: most of it is waiting for files. */
const openedAtOnce = 16

type Sealing = { index: MemoryIndex; name: string; done: Promise<void> }

/** Opens a shard; what the append log has beyond the segments is indexed again before it answers. */
export const openShard = async (options: ShardOptions): Promise<Shard> => {
  const { files, log, catalogue, enricher, onDamage } = options
  const limits = options.limits ?? shardLimits
  const cache = createByteCache(limits.cacheBytes)
  const analyse = createBatchAnalyser(enricher)
  const damaged: string[] = []
  let segments: OpenedSegment[] = []
  let active = createMemoryIndex(limits)
  let activeNumber = 0
  let lastPosition = 0
  let sealing: Sealing | undefined
  let amendments: Amendments = noAmendments
  let amendmentIndex = indexAmendments(amendments)
  const amend = createAmender()
  let burials = 0
  /** Replaced, and still read by somebody. */
  const retired = new Set<string>()
  const budget = createBudget({ share: upkeepShare })
  /** By all that was written anew or let go since the shard was opened. */
  let freed = nothingFreed
  let lastOverride = 0
  let isClosing = false
  let isRewriting = false
  let isMerging = false
  /** After a failed write memory may be ahead of the disk: nothing more is taken, and who opens the shard anew starts from the log. */
  let failed: Error | undefined

  const noteDamage = (key: string, problem: string) => {
    damaged.push(key)
    onDamage(problem)
  }
  const open = (row: SegmentRow) =>
    openSegment({
      files,
      key: row.key,
      bytes: row.bytes,
      cache,
      onRetired: () => {
        retired.delete(row.key)
        files.remove(row.key).catch((error: unknown) => onDamage(String(error)))
      },
    })
  const tryOpen = async (row: SegmentRow): Promise<OpenedSegment[]> => {
    try {
      return [{ row, segment: await open(row) }]
    } catch (error) {
      noteDamage(row.key, messageOf(error))
      return []
    }
  }

  const partOf = ({ row, segment }: OpenedSegment): Part => amend(segment, row.logPosition, amendmentIndex)
  /** Rows first, then what is known here. */
  const change = async (wanted: CatalogueChange) => {
    await catalogue.change(wanted).catch((error: unknown) => {
      throw writeFailure('The catalogue could not be written', error)
    })
    if (wanted.amend) applyAmendments(changed(amendments, wanted.amend))
  }
  const applyAmendments = (next: Amendments) => {
    amendments = next
    amendmentIndex = indexAmendments(next)
  }

  /** Merging and writing anew take turns; entries are taken meanwhile. */
  let upkeep: Promise<unknown> = Promise.resolve()
  const exclusively = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = upkeep.then(work)
    upkeep = mine.catch(() => undefined)
    return mine
  }

  type Replaced = { keys: string[]; folded: readonly SeverityOverride[] }
  const store = async (index: MemoryIndex, logPosition: number, replaced?: Replaced) => {
    const steps = writeSegment(index)
    let step = steps.next()
    while (!step.done) {
      await setImmediate()
      step = steps.next()
    }
    const content = step.value
    const times = index.streams
    const row: SegmentRow = {
      key: `segments/${String(logPosition).padStart(12, '0')}-${randomBytes(6).toString('hex')}`,
      bytes: content.length,
      documents: index.documents,
      textBytes: index.textBytes,
      words: index.words,
      firstTime: Math.min(...times.map((stream) => stream.firstTime)),
      lastTime: Math.max(...times.map((stream) => stream.lastTime)),
      logPosition,
    }
    await files.write(row.key, content)
    const segment = await open(row)
    const { keys = [], folded = [] } = replaced ?? {}
    await change({ add: [row], remove: keys, ...(folded.length > 0 && { amend: { folded } }) })
    return { row, segment }
  }

  const seal = async (index: MemoryIndex, logPosition: number) => {
    const added = await store(index, logPosition)
    segments.push(added)
    sealing = undefined
    await log.trim(logPosition)
    if (isClosing || isRewriting || isMerging) return
    isMerging = true
    exclusively(compact)
      .catch((error: unknown) => onDamage(`Segments could not be merged: ${messageOf(error)}`))
      .finally(() => {
        isMerging = false
      })
  }
  const startSeal = () => {
    const [index, name, position] = [active, `memory-${activeNumber}`, lastPosition]
    active = createMemoryIndex(limits)
    activeNumber++
    const done = seal(index, position).catch((error: unknown) => {
      failed = writeFailure('A segment could not be written', error)
      throw failed
    })
    done.catch(() => undefined)
    sealing = { index, name, done }
  }

  /** Overrides that were written into an index with the entries of parts. */
  const foldedIn = async (parts: readonly Part[]): Promise<readonly SeverityOverride[]> =>
    (await Promise.all(parts.map((part) => (isAmended(part) ? part.overridden() : [])))).flat()

  /** False when there was nothing worth it. */
  const compact = async (): Promise<boolean> => {
    if (isClosing) return false
    const chosen = chooseForMerge(
      segments.map(({ row }) => row),
      limits,
    )
    if (chosen.length === 0) return false
    const merged = segments.filter(({ row }) => chosen.includes(row))
    const parts = merged.map(partOf)
    const index = createMemoryIndex(limits)
    try {
      await refill(index, analyse, parts)
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      exclude(error)
      return false
    }
    const replaced = { keys: chosen.map((row) => row.key), folded: await foldedIn(parts) }
    const added = await swap(index, Math.max(...chosen.map((row) => row.logPosition)), replaced)
    segments = [...segments.filter(({ row }) => !chosen.includes(row)), ...added]
    merged.forEach(retire)
    return true
  }

  /** Rows of one segment in place of others; of none where nothing is left. */
  const swap = async (index: MemoryIndex, logPosition: number, replaced: Replaced): Promise<OpenedSegment[]> => {
    if (index.documents > 0) {
      const added = await store(index, logPosition, replaced)
      freed = lessFreed(freed, { entries: added.row.documents, bytes: added.row.bytes, files: 1 })
      return [added]
    }
    await change({ remove: replaced.keys, amend: { folded: replaced.folded } })
    return []
  }
  const retire = ({ row, segment }: OpenedSegment) => {
    freed = addFreed(freed, { entries: row.documents, bytes: row.bytes, files: 1 })
    retired.add(row.key)
    segment.retire()
  }
  /** One segment in place of another; none where nothing of it is left. */
  const replace = async (old: OpenedSegment, convert?: (entry: StoredEntry) => StoredEntry | undefined) => {
    const { row } = old
    const part = partOf(old)
    // Texts may become longer; a segment that was made of one large batch is larger than the limits, too.
    const room = { documents: row.documents, textBytes: row.textBytes * mostGrowth + limits.textBytes }
    const index = createMemoryIndex(room)
    await refill(index, analyse, [part], convert)
    const added = await swap(index, row.logPosition, { keys: [row.key], folded: await foldedIn([part]) })
    segments = [...segments.filter((one) => one !== old), ...added]
    retire(old)
  }
  const rewrite = async (wanted: Rewrite): Promise<Rewritten> => {
    const { concerns, change: convert, result, keep, drop } = createRewriter(wanted)
    for (const part of memoryParts()) {
      const isConcerned = await concerns(part)
      part.release()
      if (!isConcerned) continue
      await flush()
      break
    }
    // By their keys: what is merged meanwhile is another segment, and is gone through, too.
    const seen = new Set<string>()
    const upTo = lastPosition
    const isNext = ({ row }: OpenedSegment) => !seen.has(row.key) && row.logPosition <= upTo
    for (let next = segments.find(isNext); next && !isClosing; next = segments.find(isNext)) {
      const { key } = next.row
      await inTurn(() =>
        exclusively(async () => {
          const old = segments.find(({ row }) => row.key === key)
          seen.add(key)
          if (!old || isClosing || !(await concerns(partOf(old)))) return
          try {
            await replace(old, convert)
            keep()
          } catch (error) {
            drop()
            if (!(error instanceof SegmentCorrupt)) throw error
            exclude(error)
          }
        }),
      )
    }
    await inTurn(async () => {
      // What is replaced stands in the log, too, until that is cleared; what came in meanwhile has to leave it first.
      if (wanted.kind === 'anonymize') await sealAll()
      if (active.documents === 0 && !sealing) await log.clear()
    })
    return result()
  }

  /** Writes segments anew that have anything hidden, and forgets the burials of which nothing is left. */
  const purge = async () => {
    const hides = (one: OpenedSegment) => {
      const part = partOf(one)
      return isAmended(part) && part.hides
    }
    for (let next = segments.find(hides); next && !isClosing; next = segments.find(hides)) {
      await eachOf([next.row.key], async (old) => {
        if (hides(old)) await replace(old)
      })
    }
    await exclusively(async () => {
      // A damaged segment may be brought back from a copy, with all that was in it.
      if (isClosing || damaged.length > 0) return
      const settled = amendments.burials.filter(
        ({ source, place }) =>
          !segments.some(
            ({ row, segment }) =>
              row.logPosition <= place && segment.streams.some(({ origin }) => isOf(origin.sourceId, source)),
          ),
      )
      if (settled.length > 0) await change({ amend: { settled } })
    })
  }
  /** One segment after the other, by their keys; what is gone by then is passed over. */
  const eachOf = async (keys: readonly string[], work: (old: OpenedSegment) => Promise<void>) => {
    for (const key of keys) {
      await budget.step(() =>
        exclusively(async () => {
          const old = segments.find(({ row }) => row.key === key)
          if (!old || isClosing) return
          try {
            await work(old)
          } catch (error) {
            if (!(error instanceof SegmentCorrupt)) throw error
            exclude(error)
          }
        }),
      )
    }
  }
  /** Files that no row names: what a crash left between a file and its row. */
  const sweep = (): Promise<Freed> =>
    inTurn(() =>
      exclusively(async () => {
        await sealing?.done
        const known = new Set([...segments.map(({ row }) => row.key), ...damaged])
        let swept = nothingFreed
        // One that was replaced and is still read goes by itself.
        for await (const { key, size } of files.list('segments/')) {
          if (known.has(key) || retired.has(key)) continue
          await files.remove(key)
          swept = addFreed(swept, { entries: 0, bytes: size, files: 1 })
        }
        return swept
      }),
    )
  const retain = async ({ retention, now }: Care) => {
    if (keepsAll(retention)) return
    const isOld = isExpired(retention, now)
    // What is in memory is in a segment by the time it is old, unless nothing came after it.
    if (memoryParts().some(({ streams }) => streams.some(({ firstIngest = now }) => now - firstIngest > hour)))
      await flush()
    const kept = segments.map((one) => ({ key: one.row.key, bytes: one.row.bytes, part: partOf(one) }))
    const { drop, rewrite } = await planRetention(kept, retention, now)
    await eachOf(drop, async (old) => {
      await change({ remove: [old.row.key] })
      segments = segments.filter((one) => one !== old)
      retire(old)
    })
    await eachOf(rewrite, (old) => replace(old, (entry) => (isOld(entry) ? undefined : entry)))
  }
  const maintain = async (care: Care): Promise<Freed> => {
    if (care.isThorough) await flush()
    const before = freed
    await retain(care)
    let swept = nothingFreed
    if (care.isThorough) {
      await purge()
      const changedKeys = segments.filter((one) => isAmended(partOf(one))).map(({ row }) => row.key)
      await eachOf(changedKeys, (old) => replace(old))
      while (!isClosing && (await exclusively(compact)));
      swept = await sweep()
    }
    return addFreed(swept, lessFreed(freed, before))
  }
  let purging: Promise<void> = Promise.resolve()
  const purgeAside = () => {
    purging = purge().catch((error: unknown) =>
      onDamage(`Deleted entries could not be cleared away: ${messageOf(error)}`),
    )
  }

  /** Parts for a look at what there is; all are let go of afterwards. */
  const onParts = async <Result>(look: (parts: readonly Part[]) => Promise<Result>): Promise<Result> => {
    for (;;) {
      const held = parts()
      try {
        return await look(held)
      } catch (error) {
        if (!(error instanceof SegmentCorrupt)) throw error
        exclude(error)
      } finally {
        for (const part of held) part.release()
      }
    }
  }
  const deleteSource = (source: string): Promise<number> =>
    inTurn(async () => {
      if (failed) throw failed
      const counts = await onParts((held) => countSources(held, { source }))
      const entries = counts.reduce((sum, count) => sum + count.entries, 0)
      if (entries === 0) return 0
      // All that came until now is in segments then, and all that comes is past the place.
      await sealAll()
      await change({ amend: { bury: { source, place: lastPosition } } })
      burials++
      purgeAside()
      return entries
    })
  const setSeverity = async (entryId: string, severity: Severity | null): Promise<StoredEntry | undefined> => {
    for (;;) {
      const before = burials
      const entry = await onParts((held) => findEntry(held, entryId))
      if (!entry) return undefined
      const isDone = await inTurn(async () => {
        // Its source may have been deleted since it was found.
        if (burials !== before) return false
        if (amendments.overrides.length >= mostOverrides)
          throw failure('unavailable', 'Too many severities wait to be written into segments. Try again in a while.', {
            retryAfterSeconds: 60,
          })
        const override: SeverityOverride = {
          key: keyOfEntryId(entryId),
          sourceId: entry.origin.sourceId,
          time: entry.effectiveTime,
          severity: severity === null ? 0 : severityCode[severity],
          place: ++lastOverride,
        }
        await change({ amend: { override } })
        return true
      })
      if (isDone) return { ...entry, severity }
    }
  }

  const exclude = (damage: SegmentCorrupt) => {
    const known = segments.length
    segments = segments.filter(({ row }) => row.key !== damage.segment)
    if (segments.length < known) noteDamage(damage.segment, damage.message)
  }

  const memoryParts = (): Part[] => {
    const indexes = sealing ? [{ index: sealing.index, name: sealing.name }] : []
    indexes.push({ index: active, name: `memory-${activeNumber}` })
    return indexes
      .filter(({ index }) => index.documents > 0)
      .map(({ index, name }) => amend(index.snapshot(name), Number.POSITIVE_INFINITY, amendmentIndex))
  }

  /** The entries of a batch that are new go into the memory index; gives the documents. */
  const index = async (
    batch: EntryBatch,
    analysis: BatchAnalysis,
    duplicates: Uint8Array,
  ): Promise<{ from: number; to: number }> => {
    const ids = await (options.templates?.idsOf(analysis.shapes) ?? [])
    const from = active.documents
    active.add(batch, analysis, ids, duplicates)
    return { from, to: active.documents }
  }
  const knownDuplicates = async (batch: EntryBatch) => {
    const duplicates = await findDuplicates(batch, segments.map(partOf))
    if (!sealing) return duplicates
    for (let entry = 0; entry < batch.count; entry++) if (sealing.index.has(batch, entry)) duplicates[entry] = 1
    return duplicates
  }
  const allKnown = (batch: EntryBatch, duplicates: Uint8Array) => {
    for (let entry = 0; entry < batch.count; entry++) {
      if (duplicates[entry] === 0 && !active.has(batch, entry)) return false
    }
    return true
  }

  const makeRoom = async (batch: EntryBatch) => {
    if (active.hasRoomFor(batch)) return
    if (active.documents > 0) {
      // One index is being written at most: a second full one waits, and with it the sender.
      if (sealing) await sealing.done
      startSeal()
    }
    if (active.hasRoomFor(batch)) return
    active = createMemoryIndex({
      documents: Math.max(limits.documents, batch.count),
      textBytes: Math.max(limits.textBytes, batch.text.length),
    })
  }

  const take = async (buffer: ArrayBuffer, { analysis, onNew }: IngestOptions): Promise<IngestResult> => {
    if (failed) throw failed
    const batch = decodeBatch(buffer)
    await makeRoom(batch)
    const duplicates = await knownDuplicates(batch)
    if (allKnown(batch, duplicates)) return { entries: 0, duplicates: batch.count }
    const durable = log.append(new Uint8Array(buffer)).catch((error: unknown) => {
      failed = writeFailure('The append log could not be written', error)
      throw failed
    })
    // Indexing meanwhile: the disk and this thread work at the same time.
    const target = active
    const { from, to } = await index(batch, analysis ?? analyse(batch), duplicates)
    lastPosition = await durable
    onNew?.(target, from, to)
    return { entries: to - from, duplicates: batch.count - (to - from) }
  }

  const recover = async () => {
    const { segments: rows, amendments: kept, logPosition } = await catalogue.read()
    applyAmendments(kept)
    lastOverride = kept.overrides.reduce((last, { place }) => Math.max(last, place), 0)
    segments = (await inLanes(rows, openedAtOnce, tryOpen)).flat()
    const known = new Set(rows.map((row) => row.key))
    for await (const file of files.list('segments/')) if (!known.has(file.key)) await files.remove(file.key)
    lastPosition = logPosition
    for await (const { position, record } of log.replay(lastPosition, onDamage)) {
      const batch = decodeBatch(record)
      await makeRoom(batch)
      await index(batch, analyse(batch), await knownDuplicates(batch))
      lastPosition = position
    }
  }
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
  const sealAll = async () => {
    await sealing?.done
    if (active.documents === 0) return
    startSeal()
    await (sealing as Sealing | undefined)?.done
  }
  const flush = () => inTurn(sealAll)
  const parts = (): Part[] => {
    for (const { segment } of segments) segment.hold()
    return [...segments.map(partOf), ...memoryParts()]
  }
  await recover()
  if (amendments.burials.length > 0) purgeAside()
  return {
    ingest: (batch, given = {}) => {
      budget.busy()
      return inTurn(() => take(batch, given))
    },
    parts,
    exclude,
    flush,
    deleteSource,
    setSeverity,
    maintain,
    settled: async () => {
      for (let before: unknown; before !== upkeep; ) {
        before = upkeep
        await Promise.all([upkeep, purging])
        await setImmediate()
      }
    },
    rewrite: async (wanted) => {
      if (isRewriting) throw failure('conflict', 'All that is stored is being gone through already. Ask again later.')
      isRewriting = true
      try {
        return await rewrite(wanted)
      } finally {
        isRewriting = false
      }
    },
    dropCache: cache.clear,
    damaged,
    async [Symbol.asyncDispose]() {
      isClosing = true
      await turn
      await sealing?.done.catch(() => undefined)
      await upkeep
      await log[Symbol.asyncDispose]()
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
