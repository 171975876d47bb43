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
  /** Told after each segment of this replica that counts. */
  onCommitted: () => void
}

/** Makes segments of the batches that come in, several at a time, as long as there are any. */
export type Indexer = {
  /**
   * Resolves when the entries of a batch that were new are in a segment that counts for all replicas. Throws BatchUnreadable for a batch
   * that cannot be indexed; those that were taken with it are not affected.
   */
  take: (message: Sent, batch: ArrayBuffer, analysis?: BatchAnalysis) => Promise<Receipt>
  /** Batches that have been taken and are not in a segment yet. */
  readonly waiting: number
  /** Resolves when nothing is in hand. */
  settled: () => Promise<void>
}

type Waiting = {
  message: Sent
  batch: EntryBatch
  analysis: BatchAnalysis | undefined
  /** Failed in a group of several: is tried once more in a group of its own, and refused when it fails there. */
  isSuspect: boolean
  resolve: (receipt: Receipt) => void
  reject: (error: unknown) => void
}

/** Entries that are to become one segment, and which of them the catalogue is known to have already. */
type Group = {
  members: Waiting[]
  /** One byte an entry, for each batch. */
  duplicates: Uint8Array[]
  /** The version of the catalogue up to which they have been looked for. */
  checked: number
}

type Built =
  | { receipts: readonly Receipt[]; segment: undefined }
  | { receipts: readonly Receipt[]; segment: NewSegment; writtenAt: number }

/**
 * Segments of few entries follow one another no faster than this, so that a trickle does not make twenty a second; one that comes after a
 * pause is not held up.
 */
const paceMilliseconds = 100
/** A group of so many entries waits for nothing. */
const fewEntries = 4_096
/** A file that lay so long before it was committed may have been taken for one that nobody wants. */
const staleMilliseconds = 10 * 60_000
const isStale = (built: Built): boolean =>
  built.segment !== undefined && Date.now() - built.writtenAt > staleMilliseconds

/** One batch of a group failed, by what it holds: the others can be indexed without it. */
class MemberFailed extends Error {
  readonly member: Waiting
  readonly reason: Error
  constructor(member: Waiting, reason: Error) {
    super(reason.message, { cause: reason })
    this.member = member
    this.reason = reason
  }
}

/** Throws MemberFailed for an error that comes from what a member holds. */
const blame = (member: Waiting, error: unknown): never => {
  // Memory may be there the next time.
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
 * Building a segment takes time, so what comes meanwhile gathers for the next: under load segments are larger, not later. While one is
 * being written and committed the next is built. A commit holds only if no other replica's came in between; else what is new is looked
 * through for duplicates first, so the same entry sent to two replicas at once is kept once.
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

  /** What was sent before its source was deleted is left out, whenever it comes; says whether there was any. */
  const leaveOutBuried = ({ members, duplicates }: Group): boolean => {
    let found = false
    for (const [number, { batch, message }] of members.entries()) {
      const buried = batch.origins.map(({ sourceId }) => mirror.isBuried(sourceId, message.sentAfter + 1))
      const left = duplicates[number]
      if (!left || !buried.includes(true)) continue
      for (let entry = 0; entry < batch.count; entry++) {
        if (left[entry] === 1 || buried[batch.originOf[entry] ?? 0] !== true) continue
        left[entry] = 1
        found = true
      }
    }
    return found
  }
  /** Looks for the entries of a group in segments; one that cannot be read is mended or left out. */
  const lookFor = async (group: Group, isAsked: (contentVersion: number) => boolean): Promise<boolean> => {
    let found = leaveOutBuried(group)
    for (const [number, { batch }] of group.members.entries()) {
      const parts = mirror.segments.filter(({ row }) => isAsked(row.contentVersion)).map(mirror.partOf)
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
        // What was read was at least as new as this.
        group.checked = version
        return found
      } catch (error) {
        if (!(error instanceof SegmentCorrupt)) throw error
        await mirror.mend(error)
      }
    }
  }

  /** Takes a member that cannot be indexed out of its group. */
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
  /** Duplicates within a group are found by the index itself. Throws MemberFailed. */
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
        // A store that fails does not reject it.
        const ids = await templates.idsOf(analysis.shapes).catch((error: unknown) => blame(member, error))
        blaming(member, () => index.add(batch, analysis, ids, isKnown))
        await setImmediate()
      }
      const entries = index.documents - before
      receipts.push({ message: message.id, entries, duplicates: batch.count - entries })
    }
    return { index, receipts }
  }
  /** Gives the receipts alone when all entries are known. Members that cannot be indexed are taken out. */
  const build = async (group: Group): Promise<Built> => {
    let filled: Awaited<ReturnType<typeof fill>> | undefined
    while (!filled) {
      try {
        filled = await fill(group)
      } catch (error) {
        if (!(error instanceof MemberFailed)) throw error
        // The index may hold a part of it: it is filled again from the start.
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
  /** Commits what was built; does it again for as long as others come in between. */
  const commit = async (group: Group, first: Built): Promise<readonly Receipt[]> => {
    let refusedAfter: number | undefined
    for (let built = first; ; ) {
      const found = await check(group)
      if (!built.segment && !found) return built.receipts
      // Refused, though nobody came in between: the file was taken for one that nobody wants.
      const isCondemned = group.checked === refusedAfter
      if (found || isCondemned || isStale(built)) {
        if (built.segment) await source.discard(built.segment.key)
        built = await build(group)
        refusedAfter = undefined
        continue
      }
      const { segment, receipts } = built
      if (!segment) return receipts
      const kept = receipts.filter(({ entries }) => entries > 0)
      if (await catalogue.commit({ after: group.checked, segment, receipts: kept })) {
        onCommitted()
        return receipts
      }
      refusedAfter = group.checked
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
      // The next one is built meanwhile, but no more than one ahead.
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
