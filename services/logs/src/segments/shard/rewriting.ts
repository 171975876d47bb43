import { serviceError } from '@trellis/kit/errors'
import type { SerialQueue } from '@trellis/kit/lifecycle'
import type { AppendLog } from '../append-log.ts'
import { createRewriter, type Rewrite, type Rewriter, type Rewritten } from '../rewrite.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { MemoryIndexes } from './memory-indexes.ts'
import type { OpenedSegment, OpenSegments } from './open-segments.ts'
import type { Replacing } from './replacing.ts'
import type { Upkeep } from './upkeep.ts'

export type RewritingOptions = {
  serialQueue: Pick<SerialQueue, 'run'>
  upkeep: Pick<Upkeep, 'onSegment'>
  replacing: Pick<Replacing, 'rewrite'>
  segments: Pick<OpenSegments, 'all'>
  memory: Pick<MemoryIndexes, 'parts' | 'position' | 'seal' | 'isEmpty'>
  amendments: Pick<HeldAmendments, 'partOf'>
  log: Pick<AppendLog, 'clear'>
  signal: AbortSignal
}

/** Rewrites all stored entries once. */
export type Rewriting = {
  /** Throws `conflict` while another rewrite is running. */
  rewrite: (request: Rewrite) => Promise<Rewritten>
  readonly isUnderWay: boolean
}

export const createRewriting = (options: RewritingOptions): Rewriting => {
  const { serialQueue, upkeep, replacing, segments, memory, amendments, log, signal } = options
  let isUnderWay = false

  /** Seals the memory indexes if they may have entries to change. */
  const sealConcerned = async (concerns: Rewriter['concerns']) => {
    const parts = memory.parts()
    try {
      const concerned = await Promise.all(parts.map(concerns))
      if (!concerned.includes(true)) return
    } finally {
      for (const part of parts) part.release()
    }
    await serialQueue.run(memory.seal)
  }
  const rewriteSegment = async (old: OpenedSegment, { concerns, change, commit, discard }: Rewriter) => {
    if (!(await concerns(amendments.partOf(old)))) return
    try {
      await replacing.rewrite(old, change)
      commit()
    } catch (error) {
      discard()
      throw error
    }
  }
  const rewriteAll = async (request: Rewrite): Promise<Rewritten> => {
    const rewriter = createRewriter(request)
    await sealConcerned(rewriter.concerns)
    // By key: a segment that is merged meanwhile is another one, and is also rewritten.
    const seen = new Set<string>()
    const upTo = memory.position
    const next = () => segments.all().find(({ row }) => !seen.has(row.key) && row.logPosition <= upTo)
    for (let old = next(); old && !signal.aborted; old = next()) {
      const { key } = old.row
      await serialQueue.run(() => upkeep.onSegment(key, (opened) => rewriteSegment(opened, rewriter)))
      seen.add(key)
    }
    await serialQueue.run(async () => {
      // The log still has the old entries until it is cleared; entries that arrived meanwhile must be sealed first.
      if (request.kind === 'anonymize') await memory.seal()
      if (memory.isEmpty) await log.clear()
    })
    return rewriter.result()
  }
  return {
    async rewrite(request) {
      if (isUnderWay)
        throw serviceError('conflict', 'Another rewrite of the stored entries is running. Try again later.')
      isUnderWay = true
      try {
        return await rewriteAll(request)
      } finally {
        isUnderWay = false
      }
    },
    get isUnderWay() {
      return isUnderWay
    },
  }
}
