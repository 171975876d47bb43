import { writeFailure } from '../disk-full.ts'

/**
 * Remembers that a write failed. Memory may be ahead of the disk then: nothing more is taken, and who opens the shard anew starts from
 * the log.
 */
export type WriteGuard = {
  /** Throws the failure, if there was one. */
  check: () => void
  /** Gives what the write does; its failure is remembered, and `what` says of what it was. */
  watch: <Result>(what: string, write: Promise<Result>) => Promise<Result>
}

export const createWriteGuard = (): WriteGuard => {
  let failed: Error | undefined
  return {
    check: () => {
      if (failed) throw failed
    },
    watch: (what, write) => {
      const watched = write.catch((error: unknown) => {
        failed = writeFailure(what, error)
        throw failed
      })
      // Whoever asked for it may have failed by then, and not hear of it.
      watched.catch(() => undefined)
      return watched
    },
  }
}
