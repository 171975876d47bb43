import type { Foundations } from './store-for-tests.ts'

/** Thrown by operations after the simulated crash. */
export class Crashed extends Error {}

/**
 * Dependencies of a shard whose process crashes at its `at`-th write, counted from 0: that write is done without an acknowledgement, or not done;
 * later ones are not done. Writes are those of files, the append log and the catalogue.
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
        write: (...parameters) => dying(() => files.write(...parameters)),
        remove: (...parameters) => dying(() => files.remove(...parameters)),
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
