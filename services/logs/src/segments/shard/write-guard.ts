import { writeFailure } from '../disk-full.ts'

/**
 * Remembers that a write failed. Memory may be ahead of the disk then, or behind it: nothing more is taken, and a shard that is opened
 * again starts from what is durable.
 */
export type WriteGuard = {
  /** Throws the failure, if there was one. */
  check: () => void
  /** Gives what the write does; its failure is remembered, and `what` says of what it was. */
  watch: <Result>(what: string, write: Promise<Result>) => Promise<Result>
  /** The same for a change of memory alone, which a failure leaves half done. */
  run: <Result>(what: string, change: () => Result) => Result
  readonly failure: Error | undefined
}

export const createWriteGuard = (): WriteGuard => {
  let failure: Error | undefined
  const fail = (what: string, error: unknown): Error => {
    const failed = writeFailure(what, error)
    failure ??= failed
    return failed
  }
  return {
    check: () => {
      if (failure) throw failure
    },
    watch: (what, write) => {
      const watched = write.catch((error: unknown) => {
        throw fail(what, error)
      })
      // The caller may have failed by then, and not await it.
      watched.catch(() => undefined)
      return watched
    },
    run: (what, change) => {
      try {
        return change()
      } catch (error) {
        throw fail(what, error)
      }
    },
    get failure() {
      return failure
    },
  }
}
