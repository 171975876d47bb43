import { setTimeout as sleep } from 'node:timers/promises'
import type { Leases } from '@trellis/kit/leases'
import { childAbortController } from '@trellis/kit/lifecycle'

export type LockUse = {
  /** Rejects the wait when it aborts. */
  signal: AbortSignal
  /** Gives the source up when somebody else here wants it, or after so many milliseconds: the signal of the work aborts then. */
  yieldsAfter?: number
}

/** Sources, each for one at a time: a run and the watcher must not read the same source at once. */
export type SourceLocks = {
  /** Does work when nobody else has the source, with a signal that aborts when it is to end. */
  use: <Result>(source: string, use: LockUse, work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>
}

const pauseMilliseconds = 250

type Holder = { yield: () => void }

/** In this process by turns; among replicas by leases, where there are any. */
export const createSourceLocks = ({ leases }: { leases: Leases | undefined }): SourceLocks => {
  const turns = new Map<string, Promise<unknown>>()
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
    const holder: Holder = { yield: () => held.abort(new Error('Somebody else wants the source.')) }
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
      const before = turns.get(source) ?? Promise.resolve()
      const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>()
      const mine = before.then(() => turn)
      turns.set(source, mine)
      holders.get(source)?.yield()
      try {
        await before
        return await hold(source, use, work)
      } finally {
        endTurn()
        if (turns.get(source) === mine) turns.delete(source)
      }
    },
  }
}
