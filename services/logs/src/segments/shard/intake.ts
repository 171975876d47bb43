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
  /** The analysis of the batch, if another thread has made it. */
  analysis?: BatchAnalysis | undefined
  /** Receives the new entries once they are durable: the documents `from` to `to` (exclusive) of an index. */
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
  /** Called for damage of the append log. */
  onDamage: (problem: string) => void
  /** Called for each batch that cannot be indexed and is set aside. */
  onSetAside: (problem: string) => void
}

/** Writes batches without their duplicates to the append log and the memory index. Calls must be serialized. */
export type Intake = {
  /** Stores a batch; it is durable when this resolves. */
  take: (buffer: ArrayBuffer, options: IngestOptions) => Promise<IngestResult>
  /** Indexes the records of the append log after a position. */
  replay: (after: number, report: ReplayReport) => Promise<void>
}

export const createIntake = (options: IntakeOptions): Intake => {
  const { log, memory, segments, amendments, guard, analyse, templates } = options

  /** By entry: 1 where it is stored already. Memory is checked first, because it may become a segment while segments are read. */
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

  /** Indexes a record; false if the index holds a part of it and must be discarded. */
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
  /** Replays the log after `memory.position`; false if the replay must restart. */
  const replayOnce = async (skipped: Set<number>, { onDamage, onSetAside }: ReplayReport): Promise<boolean> => {
    for await (const { position, record } of log.replay(memory.position, onDamage)) {
      const isWhole =
        skipped.has(position) ||
        (await indexRecord(record, (reason) => {
          skipped.add(position)
          onSetAside(`Record ${position} of the append log cannot be read and is set aside: ${reason}`)
        }))
      if (!isWhole) return false
      memory.reach(position)
    }
    return true
  }
  return {
    async take(buffer, { analysis: provided, onNew }) {
      guard.check()
      const batch = decodeBatch(buffer)
      await memory.makeRoom(batch)
      const duplicates = await knownDuplicates(batch)
      if (!duplicates.includes(0)) return { entries: 0, duplicates: batch.count }
      // The content of a batch may make this fail, so it precedes the log, which each start replays.
      const analysis = provided ?? analyse(batch)
      const ids = await templateIdsOf(analysis)
      // A duplicate in the log would return with a replay after the entry that it duplicates has expired.
      const record = duplicates.includes(1) ? withoutEntries(batch, duplicates) : buffer
      const durable = guard.watch('The append log could not be written', log.append(new Uint8Array(record)))
      // Indexes while the log is written: disk and thread work in parallel.
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
      const skipped = new Set<number>()
      memory.reach(after)
      // Each round skips one record more.
      while (!(await replayOnce(skipped, report))) await memory.discard(after)
    },
  }
}

/** undefined, with the reason reported, if the content of a record makes the work fail, as it would at each start. */
const readable = <Result>(work: () => Result, onUnreadable: (reason: string) => void): Result | undefined => {
  try {
    return work()
  } catch (error) {
    // A lack of memory may be temporary.
    if (isAllocationFailure(error)) throw error
    onUnreadable(messageOf(error))
    return undefined
  }
}
