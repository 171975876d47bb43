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

/** Goes through all that is stored once. */
export type Rewriting = {
  /** Throws `conflict` where all is being gone through already. */
  rewrite: (wanted: Rewrite) => Promise<Rewritten>
  readonly isUnderWay: boolean
}

export const createRewriting = (options: RewritingOptions): Rewriting => {
  const { serialQueue, upkeep, replacing, segments, memory, amendments, log, signal } = options
  let isUnderWay = false

  /** What is in memory and concerned goes to a segment. */
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
  const rewriteSegment = async (old: OpenedSegment, { concerns, change, keep, drop }: Rewriter) => {
    if (!(await concerns(amendments.partOf(old)))) return
    try {
      await replacing.rewrite(old, change)
      keep()
    } catch (error) {
      drop()
      throw error
    }
  }
  const rewriteAll = async (wanted: Rewrite): Promise<Rewritten> => {
    const rewriter = createRewriter(wanted)
    await sealConcerned(rewriter.concerns)
    // By their keys: what is merged meanwhile is another segment, and is gone through, too.
    const seen = new Set<string>()
    const upTo = memory.position
    const next = () => segments.all().find(({ row }) => !seen.has(row.key) && row.logPosition <= upTo)
    for (let old = next(); old && !signal.aborted; old = next()) {
      const { key } = old.row
      await serialQueue.run(() => upkeep.onSegment(key, (opened) => rewriteSegment(opened, rewriter)))
      seen.add(key)
    }
    await serialQueue.run(async () => {
      // What is replaced stands in the log, too, until that is cleared; what came in meanwhile has to leave it first.
      if (wanted.kind === 'anonymize') await memory.seal()
      if (memory.isEmpty) await log.clear()
    })
    return rewriter.result()
  }
  return {
    async rewrite(wanted) {
      if (isUnderWay)
        throw serviceError('conflict', 'All that is stored is being gone through already. Ask again later.')
      isUnderWay = true
      try {
        return await rewriteAll(wanted)
      } finally {
        isUnderWay = false
      }
    },
    get isUnderWay() {
      return isUnderWay
    },
  }
}
