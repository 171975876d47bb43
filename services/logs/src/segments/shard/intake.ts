import { decodeBatch, type EntryBatch } from '../../entries/entry-batch.ts'
import type { Templates } from '../../templates/templates.ts'
import type { AppendLog } from '../append-log.ts'
import type { BatchAnalysis } from '../batch-analysis.ts'
import { findDuplicates } from '../find-duplicates.ts'
import type { MemoryIndex } from '../memory-index.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { MemoryIndexes } from './memory-indexes.ts'
import type { OpenSegments } from './open-segments.ts'
import type { WriteGuard } from './write-guard.ts'

export type IngestResult = { entries: number; duplicates: number }
export type IngestOptions = {
  /** What the batch's texts say, where another thread has found it out already. */
  analysis?: BatchAnalysis | undefined
  /** Hears of the entries that were not known, once they are durable: from one document of an index up to but without another. */
  onNew?: (index: MemoryIndex, from: number, to: number) => void
}

export type IntakeOptions = {
  log: Pick<AppendLog, 'append' | 'replay'>
  memory: MemoryIndexes
  segments: Pick<OpenSegments, 'all'>
  amendments: Pick<HeldAmendments, 'partOf'>
  guard: WriteGuard
  analyse: (batch: EntryBatch) => BatchAnalysis
  /** Finds the templates of messages; without it entries have none. */
  templates?: Pick<Templates, 'idsOf'> | undefined
}

/** How batches come in: to the append log and the memory index, without what is known. Both are to be called in turn. */
export type Intake = {
  /** Keeps a batch; what it has answered is durable. */
  take: (buffer: ArrayBuffer, options: IngestOptions) => Promise<IngestResult>
  /** Indexes again what the append log has after a position. */
  replay: (after: number, onDamage: (problem: string) => void) => Promise<void>
}

export const createIntake = (options: IntakeOptions): Intake => {
  const { log, memory, segments, amendments, guard, analyse, templates } = options

  /** By entry: 1 where a segment has it, or the index that is being written. */
  const knownDuplicates = async (batch: EntryBatch): Promise<Uint8Array> => {
    const duplicates = await findDuplicates(batch, segments.all().map(amendments.partOf))
    const { sealing } = memory
    if (!sealing) return duplicates
    for (let entry = 0; entry < batch.count; entry++) if (sealing.has(batch, entry)) duplicates[entry] = 1
    return duplicates
  }
  const areAllKnown = (batch: EntryBatch, duplicates: Uint8Array): boolean => {
    const { active } = memory
    for (let entry = 0; entry < batch.count; entry++) {
      if (duplicates[entry] === 0 && !active.has(batch, entry)) return false
    }
    return true
  }
  /** The entries of a batch that are new go into an index; gives the documents they became. */
  const addNew = async (index: MemoryIndex, batch: EntryBatch, duplicates: Uint8Array, analysis: BatchAnalysis) => {
    const ids = await (templates?.idsOf(analysis.shapes) ?? [])
    const from = index.documents
    index.add(batch, analysis, ids, duplicates)
    return { from, to: index.documents }
  }

  return {
    async take(buffer, { analysis, onNew }) {
      guard.check()
      const batch = decodeBatch(buffer)
      await memory.makeRoom(batch)
      const duplicates = await knownDuplicates(batch)
      if (areAllKnown(batch, duplicates)) return { entries: 0, duplicates: batch.count }
      const durable = guard.watch('The append log could not be written', log.append(new Uint8Array(buffer)))
      // Indexing meanwhile: the disk and this thread work at the same time.
      const index = memory.active
      const { from, to } = await addNew(index, batch, duplicates, analysis ?? analyse(batch))
      memory.reach(await durable)
      onNew?.(index, from, to)
      return { entries: to - from, duplicates: batch.count - (to - from) }
    },
    async replay(after, onDamage) {
      memory.reach(after)
      for await (const { position, record } of log.replay(after, onDamage)) {
        const batch = decodeBatch(record)
        await memory.makeRoom(batch)
        await addNew(memory.active, batch, await knownDuplicates(batch), analyse(batch))
        memory.reach(position)
      }
    },
  }
}
