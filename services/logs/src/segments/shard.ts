import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { failure } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import type { StoredEntry } from '../entries/entry.ts'
import { decodeBatch, type EntryBatch } from '../entries/entry-batch.ts'
import type { Templates } from '../templates/templates.ts'
import type { AppendLog } from './append-log.ts'
import { type BatchAnalysis, createBatchAnalyser } from './batch-analysis.ts'
import { createByteCache } from './byte-cache.ts'
import type { Catalogue, SegmentRow } from './catalogue.ts'
import { chooseForMerge, refill } from './compaction.ts'
import type { Enricher } from './enricher.ts'
import { findDuplicates } from './find-duplicates.ts'
import { createMemoryIndex, entryAt, type MemoryIndex } from './memory-index.ts'
import type { Part } from './part.ts'
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
  catalogue: Catalogue
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
  /** Gets the entries that were not known, once they are durable. */
  onNew?: (entries: () => StoredEntry[]) => void
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
  /** Forgets what was read from segments. */
  dropCache: () => void
  readonly damaged: readonly string[]
}

type OpenedSegment = { row: SegmentRow; segment: Segment }
/** With pseudonyms a text may be longer, at most by so much: `://a@` is the worst, with one in place of each `a`. */
const mostGrowth = 5

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
  let compacting: Promise<void> | undefined
  let isClosing = false
  let isRewriting = false
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
      onRetired: () => void files.remove(row.key).catch((error: unknown) => onDamage(String(error))),
    })
  const tryOpen = async (row: SegmentRow) => {
    try {
      segments.push({ row, segment: await open(row) })
    } catch (error) {
      noteDamage(row.key, messageOf(error))
    }
  }

  const store = async (index: MemoryIndex, logPosition: number, replaced: string[]) => {
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
    await catalogue.replace({ add: [row], remove: replaced })
    return { row, segment }
  }

  const seal = async (index: MemoryIndex, logPosition: number) => {
    const added = await store(index, logPosition, [])
    segments.push(added)
    sealing = undefined
    await log.trim(logPosition)
    if (isClosing || isRewriting || compacting !== undefined) return
    compacting = compact()
      .catch((error: unknown) => onDamage(`Segments could not be merged: ${messageOf(error)}`))
      .finally(() => {
        compacting = undefined
      })
  }
  const startSeal = () => {
    const [index, name, position] = [active, `memory-${activeNumber}`, lastPosition]
    active = createMemoryIndex(limits)
    activeNumber++
    const done = seal(index, position).catch((error: unknown) => {
      failed = new Error(`A segment could not be written: ${messageOf(error)}`, { cause: error })
      throw failed
    })
    done.catch(() => undefined)
    sealing = { index, name, done }
  }

  const compact = async () => {
    const chosen = chooseForMerge(
      segments.map(({ row }) => row),
      limits,
    )
    if (chosen.length === 0) return
    const merged = segments.filter(({ row }) => chosen.includes(row))
    const index = createMemoryIndex(limits)
    try {
      await refill(
        index,
        analyse,
        merged.map(({ segment }) => segment),
      )
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      return exclude(error)
    }
    const added = await store(
      index,
      Math.max(...chosen.map((row) => row.logPosition)),
      chosen.map((row) => row.key),
    )
    segments = [...segments.filter(({ row }) => !chosen.includes(row)), added]
    for (const { segment } of merged) segment.retire()
  }

  /** One segment in place of another; none where nothing of it is left. */
  const replace = async (old: OpenedSegment, change: (entry: StoredEntry) => StoredEntry | undefined) => {
    const { row, segment } = old
    // Texts may become longer; a segment that was made of one large batch is larger than the limits, too.
    const room = { documents: row.documents, textBytes: row.textBytes * mostGrowth + limits.textBytes }
    const index = createMemoryIndex(room)
    await refill(index, analyse, [segment], change)
    if (index.documents === 0) await catalogue.replace({ add: [], remove: [row.key] })
    const added = index.documents === 0 ? [] : [await store(index, row.logPosition, [row.key])]
    segments = [...segments.filter((one) => one !== old), ...added]
    segment.retire()
  }
  const rewrite = async (wanted: Rewrite): Promise<Rewritten> => {
    const { concerns, change, result, keep, drop } = createRewriter(wanted)
    for (const part of memoryParts()) {
      const isConcerned = await concerns(part)
      part.release()
      if (!isConcerned) continue
      await flush()
      break
    }
    for (const { row } of [...segments]) {
      await inTurn(async () => {
        await compacting
        const old = segments.find((one) => one.row.key === row.key)
        if (!old || isClosing || !(await concerns(old.segment))) return
        try {
          await replace(old, change)
          keep()
        } catch (error) {
          drop()
          if (!(error instanceof SegmentCorrupt)) throw error
          exclude(error)
        }
      })
    }
    await inTurn(async () => {
      // What is replaced stands in the log, too, until that is cleared; what came in meanwhile has to leave it first.
      if (wanted.kind === 'anonymize') await sealAll()
      if (active.documents === 0 && !sealing) await log.clear()
    })
    return result()
  }

  const exclude = (damage: SegmentCorrupt) => {
    const known = segments.length
    segments = segments.filter(({ row }) => row.key !== damage.segment)
    if (segments.length < known) noteDamage(damage.segment, damage.message)
  }

  const memoryParts = (): Part[] => {
    const indexes = sealing ? [{ index: sealing.index, name: sealing.name }] : []
    indexes.push({ index: active, name: `memory-${activeNumber}` })
    return indexes.filter(({ index }) => index.documents > 0).map(({ index, name }) => index.snapshot(name))
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
    const duplicates = await findDuplicates(
      batch,
      segments.map(({ segment }) => segment),
    )
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
      failed = new Error(`The append log could not be written: ${messageOf(error)}`, { cause: error })
      throw failed
    })
    // Indexing meanwhile: the disk and this thread work at the same time.
    const target = active
    const { from, to } = await index(batch, analysis ?? analyse(batch), duplicates)
    lastPosition = await durable
    onNew?.(() => Array.from({ length: to - from }, (_, offset) => entryAt(target, from + offset)))
    return { entries: to - from, duplicates: batch.count - (to - from) }
  }

  const recover = async () => {
    const rows = await catalogue.list()
    for (const row of rows) await tryOpen(row)
    const known = new Set(rows.map((row) => row.key))
    for await (const file of files.list('segments/')) if (!known.has(file.key)) await files.remove(file.key)
    lastPosition = rows.reduce((last, row) => Math.max(last, row.logPosition), 0)
    for await (const { position, record } of log.replay(lastPosition, onDamage)) {
      const batch = decodeBatch(record)
      await makeRoom(batch)
      await index(batch, analyse(batch), await knownDuplicates(batch))
      lastPosition = position
    }
  }
  await recover()

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
  return {
    ingest: (batch, given = {}) => inTurn(() => take(batch, given)),
    parts: () => {
      const held = segments.map(({ segment }) => segment)
      for (const segment of held) segment.hold()
      return [...held, ...memoryParts()]
    },
    exclude,
    flush,
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
      await compacting
      await log[Symbol.asyncDispose]()
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
