import { writeFailure } from '../disk-full.ts'

/**
 * Records that a write failed. Memory may then be ahead of or behind the disk: nothing more is accepted, and a reopened shard starts from durable
 * data.
 */
export type WriteGuard = {
  /** Throws the recorded failure, if any. */
  check: () => void
  /** Returns the result of a write; a failure is recorded, with `what` as its description. */
  watch: <Result>(what: string, write: Promise<Result>) => Promise<Result>
  /** The same for a change of memory only, which a failure leaves incomplete. */
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
      // The caller may have failed by then and not await it.
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
