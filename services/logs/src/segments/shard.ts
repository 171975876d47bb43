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
import { createClosableTurns } from './shard/closable-serial-queue.ts'
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

/** What the memory index may hold, and so a segment. */
export type ShardLimits = MemoryIndexLimits & {
  /** Bytes kept of what was read from segments. */
  cacheBytes: number
}

export const shardLimits: ShardLimits = {
  documents: 131_072,
  textBytes: 32 * 1024 * 1024,
  cacheBytes: 96 * 1024 * 1024,
}

/** Memory of an index that has become a segment, and what writing it took: of the largest, for the next. Kept for so long. */
const maxKeptBytes = 128 * 1024 * 1024
const keptMilliseconds = 10_000

export type ShardOptions = {
  files: Files
  log: AppendLog
  catalogue: Pick<Catalogue, 'read' | 'change'>
  enricher: Enricher
  /** Finds the templates of messages; without it entries have none. */
  templates?: Pick<Templates, 'idsOf'>
  limits?: ShardLimits
  /** Where indexes have their memory from; of its own unless told. */
  blocks?: Blocks
  /** Told of what cannot be read; all else goes on. */
  onDamage: (problem: string) => void
  /** Notified of each batch of the append log that cannot be indexed and is left out; `onDamage` unless given. */
  onSetAside?: (problem: string) => void
}

/**
 * One index: what came in last in memory, the rest in segments. Whatever `ingest` has answered is durable and searchable.
 * Order of a crash-safe life: append log, memory index, segment file, catalogue row, append log trimmed.
 */
export type Shard = AsyncDisposable &
  Amending & {
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
    maintain: Maintain
    /** Resolves when nothing is being merged or written anew. */
    settled: () => Promise<void>
    /** Forgets what was read from segments. */
    dropCache: () => void
    readonly damaged: readonly string[]
    /** Why nothing more is written: memory may differ from what is durable. The shard is to be closed and opened again. */
    readonly failure: Error | undefined
  }

/**
 * Opens a shard; what the append log has beyond the segments is indexed again before it answers. The shard owns the log: an open that
 * fails writes nothing after it has rejected, and closes the log.
 *
 * Each piece of state has one owner, and only that changes it: `segments` the list of segments and what was read of them, `amendments` what
 * is laid over them (and with it the catalogue), `memory` the indexes that are not segments yet, `guard` a write that failed. What changes
 * memory is done in `turns`; what replaces segments in the turns of `upkeep`. Who needs both takes its turn first.
 */
export const openShard = async (options: ShardOptions): Promise<Shard> => {
  const { files, log, catalogue, enricher, templates, limits = shardLimits, onDamage, onSetAside = onDamage } = options
  const closing = new AbortController()
  const { signal } = closing
  const serialQueue = createClosableTurns()
  const guard = createWriteGuard()
  const analyse = createBatchAnalyser(enricher)

  const segments = createOpenSegments({ files, cacheBytes: limits.cacheBytes, onDamage })
  const amendments = createHeldAmendments(catalogue, guard)
  const own = createBlocks({ maxBytes: maxKeptBytes, idleMilliseconds: keptMilliseconds })
  const { blocks = own } = options
  const write = createWriteOpened({ files, blocks, segments, amendments })
  const onSealed = () => {
    if (!rewriting.isUnderWay) merging.aside()
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
  const amending = createAmending({ serialQueue, views, memory, amendments, guard, onBuried: clearing.aside })

  // An open that fails ends the same way: a seal that the replay began would be a second writer beside the next shard.
  await using opening = new AsyncDisposableStack()
  opening.defer(async () => {
    closing.abort(new Error('The shard is closing.'))
    await serialQueue.close()
    await memory.sealed().catch(() => undefined)
    await upkeep.last()
    await log[Symbol.asyncDispose]()
    own[Symbol.dispose]()
  })
  const kept = await catalogue.read()
  amendments.restore(kept.amendments)
  await segments.restore(kept.segments)
  await segments.sweep()
  await intake.replay(kept.logPosition, { onDamage, onSetAside })
  if (amendments.burials.length > 0) clearing.aside()

  const opened = opening.move()
  return {
    ingest: (batch, given = {}) => {
      upkeep.busy()
      return serialQueue.run(() => intake.take(batch, given))
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
