import type { EntryBatch } from '../../entries/entry-batch.ts'
import type { AppendLog } from '../append-log.ts'
import type { Blocks } from '../blocks.ts'
import { createMemoryIndex, type MemoryIndex, type MemoryIndexLimits } from '../memory-index.ts'
import type { Part } from '../part.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { OpenSegments } from './open-segments.ts'
import type { WriteGuard } from './write-guard.ts'
import type { WriteOpened } from './write-opened.ts'

export type MemoryIndexesOptions = {
  limits: MemoryIndexLimits
  /** The pool of the memory of indexes that have become segments. */
  blocks: Blocks
  write: WriteOpened
  log: Pick<AppendLog, 'trim'>
  segments: Pick<OpenSegments, 'add'>
  amendments: Pick<HeldAmendments, 'newestPartOf'>
  guard: WriteGuard
  /** Called after each new segment. */
  onSealed: () => void
}

/**
 * The newest entries: the index that accepts entries, and the full one before it while it is written to a segment. It alone changes which indexes
 * these are; calls that change anything must be serialized.
 */
export type MemoryIndexes = {
  /** The index that accepts entries. */
  readonly active: MemoryIndex
  /** The index that is being written to a segment. */
  readonly sealing: MemoryIndex | undefined
  /** The last record of the append log whose entries are in memory or in segments. */
  readonly position: number
  /** Sets `position`. */
  reach: (position: number) => void
  /** Ensures that the active index has room for a batch; if not, seals it. */
  makeRoom: (batch: EntryBatch) => Promise<void>
  /**
   * Drops the entries that are in no segment, for a replay that must restart. `position` is then that of the newest segment, but not less than
   * `after`.
   */
  discard: (after: number) => Promise<void>
  /** Writes everything in memory to segments. */
  seal: () => Promise<void>
  /** Resolves when no index is being written; rejects if the write failed. */
  sealed: () => Promise<void>
  readonly isEmpty: boolean
  /** The current parts in memory; the caller must release each. */
  parts: () => Part[]
}

/** An index without capacity, until the first batch arrives and allocates one. */
const emptyIndex = () => createMemoryIndex({ documents: 0, textBytes: 0 })

type Sealing = { index: MemoryIndex; name: string; done: Promise<void> }

export const createMemoryIndexes = (options: MemoryIndexesOptions): MemoryIndexes => {
  const { limits, blocks, write, log, segments, amendments, guard, onSealed } = options
  let active = emptyIndex()
  let number = 0
  let position = 0
  /** All records up to here are in segments that this shard wrote. */
  let sealedTo = 0
  let sealing: Sealing | undefined

  const nameOfActive = () => `memory-${number}`
  const toSegment = async (index: MemoryIndex, upTo: number) => {
    const opened = await write(index, upTo)
    // In one synchronous step, otherwise its entries would be found twice or not at all.
    segments.add(opened)
    sealing = undefined
    sealedTo = upTo
    index.retire()
    await log.trim(upTo)
    onSealed()
  }
  const startSealing = (next: MemoryIndex): Promise<void> => {
    const [index, name] = [active, nameOfActive()]
    active = next
    number++
    const done = guard.watch('A segment could not be written', toSegment(index, position))
    sealing = { index, name, done }
    return done
  }
  return {
    get active() {
      return active
    },
    get sealing() {
      return sealing?.index
    },
    get position() {
      return position
    },
    reach: (reached) => {
      position = reached
    },
    async makeRoom(batch) {
      if (active.hasRoomFor(batch)) return
      if (active.documents > 0) {
        // At most one index is written at a time: a second full one waits, and so does its sender.
        await sealing?.done
        void startSealing(createMemoryIndex(limits, { before: active, blocks }))
      }
      if (active.hasRoomFor(batch)) return
      active.retire()
      const documents = Math.max(limits.documents, batch.count)
      const textBytes = Math.max(limits.textBytes, batch.text.length)
      active = createMemoryIndex({ documents, textBytes }, { blocks })
    },
    async discard(after) {
      await sealing?.done
      active.retire()
      active = emptyIndex()
      position = Math.max(after, sealedTo)
    },
    async seal() {
      await sealing?.done
      if (active.documents === 0) return
      // Sealed before it was full: few or no entries may follow, which should not retain the memory of a full index.
      blocks.clear()
      await startSealing(emptyIndex())
      blocks.clear()
    },
    sealed: async () => sealing?.done,
    get isEmpty() {
      return active.documents === 0 && !sealing
    },
    parts: () =>
      [...(sealing ? [sealing] : []), { index: active, name: nameOfActive() }]
        .filter(({ index }) => index.documents > 0)
        .map(({ index, name }) => amendments.newestPartOf(index.snapshot(name))),
  }
}
