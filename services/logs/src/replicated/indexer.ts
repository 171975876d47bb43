import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@trellis/kit/errors'
import { BatchUnreadable, decodeBatch, type EntryBatch } from '../entries/entry-batch.ts'
import { isAllocationFailure } from '../segments/allocate.ts'
import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import { findDuplicates } from '../segments/find-duplicates.ts'
import { createMemoryIndex, type MemoryIndexLimits } from '../segments/memory-index.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import type { Templates } from '../templates/templates.ts'
import { buildSegment } from './build-segment.ts'
import type { Sent } from './index-calls.ts'
import type { Mirror } from './mirror.ts'
import type { SegmentSource } from './segment-source.ts'
import type { NewSegment, Receipt, SharedCatalogue } from './shared-catalogue.ts'

export type IndexerOptions = {
  mirror: Mirror
  catalogue: Pick<SharedCatalogue, 'commit'>
  source: SegmentSource
  analyse: (batch: EntryBatch) => BatchAnalysis
  templates: Pick<Templates, 'idsOf'>
  limits: MemoryIndexLimits
  /** Called after each committed segment of this replica. */
  onCommitted: () => void
}

/** Builds segments from incoming batches, several batches at a time. */
export type Indexer = {
  /**
   * Resolves when the new entries of a batch are in a committed segment. Throws BatchUnreadable for a batch that cannot be indexed; other batches
   * of its group are not affected.
   */
  take: (message: Sent, batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<Receipt>
  /** The number of batches that are not in a segment yet. */
  readonly waiting: number
  /** Resolves when no batch is in progress. */
  settled: () => Promise<void>
}

type Waiting = {
  message: Sent
  batch: EntryBatch
  analysis: BatchAnalysis | undefined
  /** The batch failed in a group: it is retried alone, and rejected if it fails again. */
  isSuspect: boolean
  resolve: (receipt: Receipt) => void
  reject: (error: unknown) => void
}

/** The batches of one segment, and which of their entries the catalogue is known to have already. */
type Group = {
  members: Waiting[]
  /** One array per batch with one byte per entry: 1 for duplicates. */
  duplicates: Uint8Array[]
  /** The version of the catalogue up to which duplicates were checked. */
  checked: number
}

type Built =
  | { receipts: readonly Receipt[]; segment: undefined }
  | { receipts: readonly Receipt[]; segment: NewSegment; writtenAt: number }

/**
 * The minimum interval between small segments, so that a trickle of entries does not make twenty segments a second. A segment after a longer
 * pause is not delayed.
 */
const paceMilliseconds = 100
/** A group of at least this many entries is not delayed. */
const fewEntries = 4_096
/** A file that was written this long before its commit may have been condemned as an orphan. */
const staleMilliseconds = 10 * 60_000
const isStale = (built: Built): boolean =>
  built.segment !== undefined && Date.now() - built.writtenAt > staleMilliseconds

/** The content of one batch caused a failure: the others of the group can be indexed without it. */
class MemberFailed extends Error {
  readonly member: Waiting
  readonly reason: Error
  constructor(member: Waiting, reason: Error) {
    super(reason.message, { cause: reason })
    this.member = member
    this.reason = reason
  }
}

/** Throws MemberFailed for an error that the content of a member caused. */
const blame = (member: Waiting, error: unknown): never => {
  // A lack of memory may be temporary.
  if (isAllocationFailure(error) || !(error instanceof Error)) throw error
  throw new MemberFailed(member, error)
}
const blaming = <Result>(member: Waiting, work: () => Result): Result => {
  try {
    return work()
  } catch (error) {
    return blame(member, error)
  }
}

/**
 * Batches that arrive while a segment is built gather for the next one: under load segments get larger, not later. While one is written and
 * committed, the next is built. A commit succeeds only if no other replica committed meanwhile; otherwise the new segments are checked for
 * duplicates first, so that an entry sent to two replicas at once is stored once.
 */
export const createIndexer = (options: IndexerOptions): Indexer => {
  const { mirror, catalogue, source, analyse, templates, limits, onCommitted } = options
  const waiting: Waiting[] = []
  let inHand = 0
  let building: Promise<void> | undefined
  let committing: Promise<void> = Promise.resolve()
  let startedAt = Number.NEGATIVE_INFINITY

  const gather = (): Waiting[] => {
    let documents = 0
    let textBytes = 0
    let taken = 0
    if (waiting[0]?.isSuspect) return waiting.splice(0, 1)
    for (const { batch, isSuspect } of waiting) {
      if (isSuspect) break
      documents += batch.count
      textBytes += batch.text.length
      if (taken > 0 && (documents > limits.documents || textBytes > limits.textBytes)) break
      taken++
    }
    return waiting.splice(0, taken)
  }

  /** Marks entries that were sent before their source was deleted as duplicates; returns whether there were any. */
  const dropDeleted = ({ members, duplicates }: Group): boolean => {
    let found = false
    for (const [number, { batch, message }] of members.entries()) {
      const deleted = batch.origins.map(({ sourceId }) => mirror.isDeleted(sourceId, message.sentAfter + 1))
      const left = duplicates[number]
      if (!left || !deleted.includes(true)) continue
      for (let entry = 0; entry < batch.count; entry++) {
        if (left[entry] === 1 || deleted[batch.originOf[entry] ?? 0] !== true) continue
        left[entry] = 1
        found = true
      }
    }
    return found
  }
  /** Looks for the entries of a group in the segments that `isIncluded` selects. */
  const lookFor = async (group: Group, isIncluded: (contentVersion: number) => boolean): Promise<boolean> => {
    let found = dropDeleted(group)
    for (const [number, { batch }] of group.members.entries()) {
      const parts = mirror.segments.filter(({ row }) => isIncluded(row.contentVersion)).map(mirror.partOf)
      for (const part of parts) part.hold()
      try {
        const known = await findDuplicates(batch, parts)
        const duplicates = group.duplicates[number] ?? known
        for (let entry = 0; entry < batch.count; entry++) {
          if (known[entry] === 0 || duplicates[entry] === 1) continue
          duplicates[entry] = 1
          found = true
        }
      } finally {
        for (const part of parts) part.release()
      }
    }
    return found
  }
  const check = async (group: Group): Promise<boolean> => {
    for (;;) {
      await mirror.refresh()
      const version = mirror.version ?? 0
      if (version === group.checked) return false
      try {
        const found = await lookFor(group, (contentVersion) => contentVersion > group.checked)
        // The segments read were at least as new as this version.
        group.checked = version
        return found
      } catch (error) {
        if (!(error instanceof SegmentCorrupt)) throw error
        await mirror.repair(error)
      }
    }
  }

  /** Removes a member that cannot be indexed from its group. */
  const takeOut = (group: Group, member: Waiting, cause: Error) => {
    const isAlone = group.members.length === 1
    const stays = group.members.map((one) => one !== member)
    group.members = group.members.filter((_, number) => stays[number])
    group.duplicates = group.duplicates.filter((_, number) => stays[number])
    if (isAlone) return member.reject(new BatchUnreadable(messageOf(cause), { cause }))
    member.isSuspect = true
    waiting.push(member)
    start()
  }
  /** Fills an index, which finds duplicates within a group. Throws MemberFailed. */
  const fill = async ({ members, duplicates }: Group) => {
    const index = createMemoryIndex({
      documents: members.reduce((sum, { batch }) => sum + batch.count, 0),
      textBytes: members.reduce((sum, { batch }) => sum + batch.text.length, 0),
    })
    const receipts: Receipt[] = []
    for (const [number, member] of members.entries()) {
      const { message, batch } = member
      const isKnown = duplicates[number]
      const before = index.documents
      if (isKnown?.includes(0)) {
        const analysis = member.analysis ?? blaming(member, () => analyse(batch))
        member.analysis = analysis
        // Does not reject if the template store fails.
        const ids = await templates.idsOf(analysis.shapes).catch((error: unknown) => blame(member, error))
        blaming(member, () => index.add(batch, analysis, ids, isKnown))
        await setImmediate()
      }
      const entries = index.documents - before
      receipts.push({ message: message.id, entries, duplicates: batch.count - entries })
    }
    return { index, receipts }
  }
  /** Returns receipts without a segment when all entries are duplicates. Members that cannot be indexed are removed from the group. */
  const build = async (group: Group): Promise<Built> => {
    let filled: Awaited<ReturnType<typeof fill>> | undefined
    while (!filled) {
      try {
        filled = await fill(group)
      } catch (error) {
        if (!(error instanceof MemberFailed)) throw error
        // The index may hold a part of the failed batch, so it is filled again from the start.
        takeOut(group, error.member, error.reason)
      }
    }
    const { index, receipts } = filled
    if (index.documents === 0) return { receipts, segment: undefined }
    const { segment, content } = await buildSegment(index)
    await source.write(segment.key, content)
    return { receipts, segment, writtenAt: Date.now() }
  }

  const settle = (group: Group, receipts: readonly Receipt[]) => {
    group.members.forEach((member, number) => {
      const receipt = receipts[number]
      if (receipt) member.resolve(receipt)
    })
  }
  /** Commits a built segment, and checks and rebuilds it as long as other commits come first. */
  const commit = async (group: Group, first: Built): Promise<readonly Receipt[]> => {
    let rejectedAfter: number | undefined
    for (let built = first; ; ) {
      const found = await check(group)
      if (!built.segment && !found) return built.receipts
      // The commit was rejected although no other commit came first: the file was condemned as an orphan.
      const isCondemned = group.checked === rejectedAfter
      if (found || isCondemned || isStale(built)) {
        if (built.segment) await source.discard(built.segment.key)
        built = await build(group)
        rejectedAfter = undefined
        continue
      }
      const { segment, receipts } = built
      if (!segment) return receipts
      const withEntries = receipts.filter(({ entries }) => entries > 0)
      if (await catalogue.commit({ after: group.checked, segment, receipts: withEntries })) {
        onCommitted()
        return receipts
      }
      rejectedAfter = group.checked
    }
  }
  const fail = (group: Group, error: unknown) => {
    for (const member of group.members) member.reject(error)
  }

  const buildNext = async () => {
    const members = gather()
    const group: Group = {
      members,
      duplicates: members.map(({ batch }) => new Uint8Array(batch.count)),
      checked: -1,
    }
    startedAt = performance.now()
    try {
      await check(group)
      const built = await build(group)
      // The next segment is built while one is committed, but at most one ahead.
      await committing
      committing = commit(group, built).then(
        (receipts) => settle(group, receipts),
        (error: unknown) => fail(group, error),
      )
    } catch (error) {
      fail(group, error)
    }
  }
  const isFew = () => waiting.reduce((sum, { batch }) => sum + batch.count, 0) < fewEntries
  const run = async () => {
    while (waiting.length > 0) {
      const pause = startedAt + paceMilliseconds - performance.now()
      if (pause > 0 && isFew()) await sleep(pause)
      await buildNext()
    }
  }
  const start = () => {
    building ??= run().finally(() => {
      building = undefined
      if (waiting.length > 0) start()
    })
  }
  const take: Indexer['take'] = async (message, buffer, analysis) => {
    const batch = decodeBatch(buffer)
    inHand++
    try {
      return await new Promise<Receipt>((resolve, reject) => {
        waiting.push({ message, batch, analysis, isSuspect: false, resolve, reject })
        start()
      })
    } finally {
      inHand--
    }
  }
  return {
    take,
    get waiting() {
      return waiting.length
    },
    settled: async () => {
      while (inHand > 0 || building !== undefined) {
        await building
        await committing
      }
    },
  }
}
