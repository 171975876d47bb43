import { setImmediate } from 'node:timers/promises'
import type { Files } from '@trellis/kit/files'
import type { Templates } from '../templates/templates.ts'
import type { AppendLog } from './append-log.ts'
import { createBatchAnalyser } from './batch-analysis.ts'
import { type Blocks, createBlocks } from './blocks.ts'
import type { Catalogue } from './catalogue.ts'
import type { Enricher } from './enricher.ts'
import type { MemoryIndexLimits } from './memory-index.ts'
import type { Part } from './part.ts'
import type { Rewrite, Rewritten } from './rewrite.ts'
import type { SegmentCorrupt } from './segment-layout.ts'
import { type Amending, createAmending } from './shard/amending.ts'
import { createClearing } from './shard/clearing.ts'
import { createClosableSerialQueue } from './shard/closable-serial-queue.ts'
import { createHeldAmendments } from './shard/held-amendments.ts'
import { createIntake, type IngestOptions, type IngestResult } from './shard/intake.ts'
import { createMaintain, type Maintain } from './shard/maintaining.ts'
import { createMemoryIndexes } from './shard/memory-indexes.ts'
import { createMerging } from './shard/merging.ts'
import { createOpenSegments } from './shard/open-segments.ts'
import { createReplacing } from './shard/replacing.ts'
import { createRewriting } from './shard/rewriting.ts'
import { createUpkeep } from './shard/upkeep.ts'
import { createViews } from './shard/views.ts'
import { createWriteGuard } from './shard/write-guard.ts'
import { createWriteOpened } from './shard/write-opened.ts'

export type { IngestOptions, IngestResult } from './shard/intake.ts'

/** The limits of the memory index, and so of a segment. */
export type ShardLimits = MemoryIndexLimits & {
  /** Maximum memory of the cache of segment data, in bytes. */
  cacheBytes: number
}

export const shardLimits: ShardLimits = {
  documents: 131_072,
  textBytes: 32 * 1024 * 1024,
  cacheBytes: 96 * 1024 * 1024,
}

/** Memory of sealed indexes and of writing segments is pooled for the next one: maximum bytes and time. */
const maxPooledBytes = 128 * 1024 * 1024
const pooledMilliseconds = 10_000

export type ShardOptions = {
  files: Files
  log: AppendLog
  catalogue: Pick<Catalogue, 'read' | 'change'>
  enricher: Enricher
  /** Finds the templates of messages; without it entries have none. */
  templates?: Pick<Templates, 'idsOf'>
  limits?: ShardLimits
  /** The memory pool of indexes; by default a separate one. */
  blocks?: Blocks
  /** Called for data that cannot be read; the rest stays usable. */
  onDamage: (problem: string) => void
  /** Called for each batch of the append log that cannot be indexed and is set aside; defaults to `onDamage`. */
  onSetAside?: (problem: string) => void
  /** Called with each source, or stem of sources, whose entries so far were deleted, before further entries are stored. */
  onSourceDeleted?: (source: string) => void
}

/**
 * One index: the newest entries in memory, the rest in segments. Entries acknowledged by `ingest` are durable and searchable. Data moves
 * crash-safely in this order: append log, memory index, segment file, catalogue row, append log trimmed.
 */
export type Shard = AsyncDisposable &
  Amending & {
    /** Stores a batch (see `encodeBatch`). */
    ingest: (batch: ArrayBuffer, options?: IngestOptions) => Promise<IngestResult>
    /** The current parts, for one search; the caller must release each. */
    parts: () => Part[]
    /** Reports a damaged part, which is excluded from now on. */
    exclude: (damage: SegmentCorrupt) => void
    /** Writes the memory index to a segment now. */
    flush: () => Promise<void>
    /**
     * Rewrites each segment with entries to change, one by one; between two segments, batches are ingested. Replacing a segment is atomic, and
     * the old content is removed from disk, including the append log. If interrupted, each segment is either unchanged or completely rewritten.
     */
    rewrite: (rewrite: Rewrite) => Promise<Rewritten>
    maintain: Maintain
    /** Resolves when no merge or rewrite is running. */
    settled: () => Promise<void>
    /** Clears the cache of segment data. */
    dropCache: () => void
    readonly damaged: readonly string[]
    /** Why nothing more is written: memory may differ from durable data. The shard must be closed and reopened. */
    readonly failure: Error | undefined
  }

/**
 * Opens a shard and replays the append log beyond the segments. The shard owns the log: an open that fails writes nothing after it has rejected,
 * and closes the log.
 *
 * Each piece of state has one owner, which alone changes it: `segments` owns the list of segments and their cache, `amendments` the amendments
 * (and with them the catalogue), `memory` the indexes that are not segments yet, `guard` a failed write. Changes to memory run in `serialQueue`;
 * replacements of segments run in the queue of `upkeep`. Work that needs both enters `serialQueue` first.
 */
export const openShard = async (options: ShardOptions): Promise<Shard> => {
  const { files, log, catalogue, enricher, templates, limits = shardLimits, onDamage, onSetAside = onDamage } = options
  const closing = new AbortController()
  const { signal } = closing
  const serialQueue = createClosableSerialQueue()
  const guard = createWriteGuard()
  const analyse = createBatchAnalyser(enricher)

  const segments = createOpenSegments({ files, cacheBytes: limits.cacheBytes, onDamage })
  const amendments = createHeldAmendments(catalogue, guard)
  const own = createBlocks({ maxBytes: maxPooledBytes, idleMilliseconds: pooledMilliseconds })
  const { blocks = own } = options
  const write = createWriteOpened({ files, blocks, segments, amendments })
  const onSealed = () => {
    if (!rewriting.isUnderWay) merging.inBackground()
  }
  const memory = createMemoryIndexes({ limits, blocks, write, log, segments, amendments, guard, onSealed })
  const intake = createIntake({ log, memory, segments, amendments, guard, analyse, templates })
  const views = createViews({ segments, memory, amendments })

  const upkeep = createUpkeep({ segments, signal })
  const replacing = createReplacing({ limits, blocks, analyse, write, segments, amendments })
  const merging = createMerging({ limits, segments, replacing, upkeep, signal, onDamage })
  const clearing = createClearing({ segments, amendments, replacing, upkeep, signal, onDamage })
  const rewriting = createRewriting({ serialQueue, upkeep, replacing, segments, memory, amendments, log, signal })
  const pieces = { serialQueue, upkeep, clearing, merging, replacing, segments, memory, amendments, signal }
  const onDeleted = (source: string) => {
    clearing.inBackground()
    options.onSourceDeleted?.(source)
  }
  const amending = createAmending({ serialQueue, views, memory, amendments, guard, onDeleted })

  // A failed open closes the same way: a seal that the replay began would be a second writer beside the next shard.
  await using opening = new AsyncDisposableStack()
  opening.defer(async () => {
    closing.abort(new Error('The shard is closing.'))
    await serialQueue.close()
    await memory.sealed().catch(() => undefined)
    await upkeep.last()
    await log[Symbol.asyncDispose]()
    own[Symbol.dispose]()
  })
  const stored = await catalogue.read()
  amendments.restore(stored.amendments)
  await segments.restore(stored.segments)
  await segments.sweep()
  await intake.replay(stored.logPosition, { onDamage, onSetAside })
  if (amendments.tombstones.length > 0) clearing.inBackground()

  const opened = opening.move()
  return {
    ingest: (batch, ingestOptions = {}) => {
      upkeep.busy()
      return serialQueue.run(() => intake.take(batch, ingestOptions))
    },
    parts: views.parts,
    exclude: segments.exclude,
    flush: () => serialQueue.run(memory.seal),
    rewrite: rewriting.rewrite,
    ...amending,
    maintain: createMaintain(pieces),
    settled: async () => {
      for (let before: unknown; before !== upkeep.last(); ) {
        before = upkeep.last()
        await Promise.all([before, clearing.last()])
        await setImmediate()
      }
    },
    dropCache: segments.dropCache,
    damaged: segments.damaged,
    get failure() {
      return guard.failure
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
