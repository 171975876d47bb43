import { setTimeout as sleep } from 'node:timers/promises'
import type { Leases } from './leases.ts'

/** Sources, each for one at a time: a run and the watcher must not read the same source at once. */
export type SourceLocks = {
  /** Does work when nobody else has the source, with a signal that aborts when it is lost. Rejects when the signal aborts first. */
  use: <Result>(source: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>
}

const pauseMilliseconds = 250

/** In this process by turns; among replicas by leases, where there are any. */
export const createSourceLocks = ({ leases }: { leases: Leases | undefined }): SourceLocks => {
  const turns = new Map<string, Promise<unknown>>()
  const takeLease = async (source: string, signal: AbortSignal) => {
    for (;;) {
      signal.throwIfAborted()
      const lease = await leases?.take(`collect:${source}`, signal)
      if (lease || !leases) return lease
      await sleep(pauseMilliseconds, undefined, { signal, ref: false })
    }
  }
  return {
    use: async (source, signal, work) => {
      const before = turns.get(source) ?? Promise.resolve()
      const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>()
      const mine = before.then(() => turn)
      turns.set(source, mine)
      try {
        await before
        await using lease = await takeLease(source, signal)
        return await work(lease?.signal ?? signal)
      } finally {
        endTurn()
        if (turns.get(source) === mine) turns.delete(source)
      }
    },
  }
}
