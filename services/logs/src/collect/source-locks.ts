import { setTimeout as sleep } from 'node:timers/promises'
import type { Leases } from '@trellis/kit/leases'
import { childAbortController } from '@trellis/kit/lifecycle'

export type LockUse = {
  /** Rejects the wait when it aborts. */
  signal: AbortSignal
  /** Releases the source if another caller in this process requests it, or after this time in milliseconds: the signal of the work aborts then. */
  yieldsAfter?: number
}

/** Mutual exclusion for sources: a run and the watcher must not read the same source at the same time. */
export type SourceLocks = {
  /** Runs work while it holds the source exclusively; the signal aborts when the work must end. */
  use: <Result>(source: string, use: LockUse, work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>
}

const pauseMilliseconds = 250

type Holder = { yield: () => void }

/** Uses a queue within this process, and leases among replicas, if there are any. */
export const createSourceLocks = ({ leases }: { leases: Leases | undefined }): SourceLocks => {
  const queues = new Map<string, Promise<unknown>>()
  const holders = new Map<string, Holder>()

  const takeLease = async (source: string, signal: AbortSignal) => {
    if (!leases) return undefined
    for (;;) {
      signal.throwIfAborted()
      const lease = await leases.take(`collect:${source}`, signal)
      if (lease) return lease
      await sleep(pauseMilliseconds, undefined, { signal, ref: false })
    }
  }
  const hold = async <Result>(
    source: string,
    { signal, yieldsAfter }: LockUse,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    await using lease = await takeLease(source, signal)
    using held = childAbortController(lease?.signal ?? signal)
    if (yieldsAfter === undefined) return await work(held.signal)
    const holder: Holder = { yield: () => held.abort(new Error('Another caller requested the source.')) }
    const timer = setTimeout(holder.yield, yieldsAfter)
    timer.unref()
    holders.set(source, holder)
    try {
      return await work(held.signal)
    } finally {
      clearTimeout(timer)
      if (holders.get(source) === holder) holders.delete(source)
    }
  }
  return {
    use: async (source, use, work) => {
      const before = queues.get(source) ?? Promise.resolve()
      const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>()
      const mine = before.then(() => turn)
      queues.set(source, mine)
      holders.get(source)?.yield()
      try {
        await before
        return await hold(source, use, work)
      } finally {
        endTurn()
        if (queues.get(source) === mine) queues.delete(source)
      }
    },
  }
}
