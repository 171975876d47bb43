import { messageOf } from '@trellis/kit/errors'
import { decodeBatch, type EntryBatch } from '../../entries/entry-batch.ts'
import { withoutEntries } from '../../entries/pick-entries.ts'
import type { Templates } from '../../templates/templates.ts'
import { isAllocationFailure } from '../allocate.ts'
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
  segments: Pick<OpenSegments, 'look'>
  amendments: Pick<HeldAmendments, 'partOf'>
  guard: WriteGuard
  analyse: (batch: EntryBatch) => BatchAnalysis
  /** Finds the templates of messages; without it entries have none. */
  templates?: Pick<Templates, 'idsOf'> | undefined
}

export type ReplayReport = {
  /** Notified of what the append log cannot read. */
  onDamage: (problem: string) => void
  /** Notified of each batch that cannot be indexed and is left out. */
  onSetAside: (problem: string) => void
}

/** How batches come in: to the append log and the memory index, without what is known. Both are to be called in turn. */
export type Intake = {
  /** Keeps a batch; what it has answered is durable. */
  take: (buffer: ArrayBuffer, options: IngestOptions) => Promise<IngestResult>
  /** Indexes again what the append log has after a position. */
  replay: (after: number, report: ReplayReport) => Promise<void>
}

export const createIntake = (options: IntakeOptions): Intake => {
  const { log, memory, segments, amendments, guard, analyse, templates } = options

  /** By entry: 1 where it is stored already. What is in memory is looked at first: while segments are read, it may become one. */
  const knownDuplicates = async (batch: EntryBatch): Promise<Uint8Array> => {
    const { active, sealing } = memory
    const inMemory = Uint8Array.from({ length: batch.count }, (_, entry) =>
      active.has(batch, entry) || sealing?.has(batch, entry) === true ? 1 : 0,
    )
    const duplicates = await segments.look((opened) => findDuplicates(batch, opened.map(amendments.partOf)))
    return duplicates.map((isStored, entry) => isStored | (inMemory[entry] ?? 0))
  }
  const templateIdsOf = async ({ shapes }: BatchAnalysis): Promise<readonly string[]> =>
    (await templates?.idsOf(shapes)) ?? []

  /** Indexes a record; false where the index holds a part of it and is of no use any more. */
  const indexRecord = async (record: ArrayBuffer, onUnreadable: (reason: string) => void): Promise<boolean> => {
    const read = readable(() => {
      const batch = decodeBatch(record)
      return { batch, analysis: analyse(batch) }
    }, onUnreadable)
    if (!read) return true
    const { batch, analysis } = read
    await memory.makeRoom(batch)
    const duplicates = await knownDuplicates(batch)
    const ids = await templateIdsOf(analysis)
    return (
      readable(() => {
        memory.active.add(batch, analysis, ids, duplicates)
        return true
      }, onUnreadable) ?? false
    )
  }
  /** Goes through the log after `memory.position`; false where it has to start again. */
  const replayOnce = async (leftOut: Set<number>, { onDamage, onSetAside }: ReplayReport): Promise<boolean> => {
    for await (const { position, record } of log.replay(memory.position, onDamage)) {
      const isWhole =
        leftOut.has(position) ||
        (await indexRecord(record, (reason) => {
          leftOut.add(position)
          onSetAside(`Record ${position} of the append log cannot be read and is left out: ${reason}`)
        }))
      if (!isWhole) return false
      memory.reach(position)
    }
    return true
  }
  return {
    async take(buffer, { analysis: given, onNew }) {
      guard.check()
      const batch = decodeBatch(buffer)
      await memory.makeRoom(batch)
      const duplicates = await knownDuplicates(batch)
      if (!duplicates.includes(0)) return { entries: 0, duplicates: batch.count }
      // What a batch says may make this fail, so it comes before the log, whose records are read by each start.
      const analysis = given ?? analyse(batch)
      const ids = await templateIdsOf(analysis)
      // A duplicate in the log would come back with a replay after the entry that it repeats has expired.
      const record = duplicates.includes(1) ? withoutEntries(batch, duplicates) : buffer
      const durable = guard.watch('The append log could not be written', log.append(new Uint8Array(record)))
      // Indexing meanwhile: the disk and this thread work at the same time.
      const index = memory.active
      const from = index.documents
      guard.run('A batch could not be indexed', () => index.add(batch, analysis, ids, duplicates))
      const to = index.documents
      memory.reach(await durable)
      onNew?.(index, from, to)
      return { entries: to - from, duplicates: batch.count - (to - from) }
    },
    async replay(after, { onDamage, onSetAside }) {
      const reported = new Set<string>()
      const report: ReplayReport = {
        onDamage: (problem) => {
          if (!reported.has(problem)) onDamage(problem)
          reported.add(problem)
        },
        onSetAside,
      }
      const leftOut = new Set<number>()
      memory.reach(after)
      // Each round leaves out one record more.
      while (!(await replayOnce(leftOut, report))) await memory.discard(after)
    },
  }
}

/** Undefined, with the reason reported, where work fails by what a record holds: each start would fail at it again. */
const readable = <Result>(work: () => Result, onUnreadable: (reason: string) => void): Result | undefined => {
  try {
    return work()
  } catch (error) {
    // Memory may be there the next time.
    if (isAllocationFailure(error)) throw error
    onUnreadable(messageOf(error))
    return undefined
  }
}
