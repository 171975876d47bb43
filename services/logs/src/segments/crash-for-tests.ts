import type { Foundations } from './store-for-tests.ts'

/** Thrown by all that a crashed process would not have done. */
export class Crashed extends Error {}

/**
 * Foundations of a shard whose process dies at its `at`-th write, counted from 0: that write is done and nobody hears of it, or it is not
 * begun; what comes after is not done. Writes are those of files, of the append log and of the catalogue.
 */
export const crashingAt = (at: number, isDone: boolean) => {
  let writes = 0
  const dying = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    const number = writes++
    if (number === at && isDone) await write()
    if (number >= at) throw new Crashed('The process is dead.')
    return write()
  }
  return {
    hasCrashed: () => writes > at,
    alter: ({ files, log, catalogue, ...others }: Foundations): Foundations => ({
      ...others,
      files: {
        ...files,
        write: (...given) => dying(() => files.write(...given)),
        remove: (...given) => dying(() => files.remove(...given)),
      },
      log: {
        ...log,
        append: (record) => dying(() => log.append(record)),
        trim: (upTo) => dying(() => log.trim(upTo)),
        clear: () => dying(() => log.clear()),
      },
      catalogue: { ...catalogue, change: (change) => dying(() => catalogue.change(change)) },
    }),
  }
}
