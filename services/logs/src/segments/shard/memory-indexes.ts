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
  /** What the memory of an index that has become a segment goes back to. */
  blocks: Blocks
  write: WriteOpened
  log: Pick<AppendLog, 'trim'>
  segments: Pick<OpenSegments, 'add'>
  amendments: Pick<HeldAmendments, 'newestPartOf'>
  guard: WriteGuard
  /** A segment more is there. */
  onSealed: () => void
}

/**
 * What came in last: the index that takes entries, and the full one before it for as long as it is written to a segment. It alone changes
 * which these are; all that changes anything is to be called in turn.
 */
export type MemoryIndexes = {
  /** Takes entries. */
  readonly active: MemoryIndex
  /** Is being written. */
  readonly sealing: MemoryIndex | undefined
  /** The last record of the append log whose entries are in memory or in segments. */
  readonly position: number
  /** All up to a record is in. */
  reach: (position: number) => void
  /** Sees to it that a batch has room in the active one: where it has none, that is sealed. */
  makeRoom: (batch: EntryBatch) => Promise<void>
  /**
   * Drops the entries that are in no segment, for a replay that has to start again. `position` is then that of the newest segment, but not
   * less than `after`.
   */
  discard: (after: number) => Promise<void>
  /** Writes all that is in memory to segments. */
  seal: () => Promise<void>
  /** Resolves when no index is being written; fails where that failed. */
  sealed: () => Promise<void>
  readonly isEmpty: boolean
  /** What is in memory now; each is to be released. */
  parts: () => Part[]
}

/** For as long as nothing comes: what comes makes room for itself. */
const withoutRoom = () => createMemoryIndex({ documents: 0, textBytes: 0 })

type Sealing = { index: MemoryIndex; name: string; done: Promise<void> }

export const createMemoryIndexes = (options: MemoryIndexesOptions): MemoryIndexes => {
  const { limits, blocks, write, log, segments, amendments, guard, onSealed } = options
  let active = withoutRoom()
  let number = 0
  let position = 0
  /** Up to here all records are in segments that were written here. */
  let sealedTo = 0
  let sealing: Sealing | undefined

  const nameOfActive = () => `memory-${number}`
  const toSegment = async (index: MemoryIndex, upTo: number) => {
    const opened = await write(index, upTo)
    // In one step, or its entries would be there twice, or not at all.
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
        // One index is being written at most: a second full one waits, and with it the sender.
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
      active = withoutRoom()
      position = Math.max(after, sealedTo)
    },
    async seal() {
      await sealing?.done
      if (active.documents === 0) return
      // Not because there was no room: what comes next may be little, or nothing, and is not to hold the memory of a full one.
      blocks.forget()
      await startSealing(withoutRoom())
      blocks.forget()
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
