import { countLineFeeds } from '../count-line-feeds.ts'
import type { OpenFile } from '../files/log-file.ts'

/** Counts lines that files have grown by, without storing any of them: what waits to be stored waits in its file. */
export type Growth = {
  /** Lines that have come since it was asked last; of a file that is met for the first time, all of the last stretch. */
  linesOf: (path: string) => Promise<number>
  remove: (paths: Iterable<string>) => void
}

/** More than this has enough lines to be stored at once. */
const maxBytes = 256 * 1024
/** Files that are remembered; those past it are counted anew. */
const maxFiles = 10_000

export const createGrowth = (open: OpenFile): Growth => {
  const seen = new Map<string, number>()
  return {
    linesOf: async (path) => {
      await using file = await open(path).catch(() => undefined)
      if (!file) return 0
      const { size } = await file.stamp()
      const before = seen.get(path)
      if (seen.size >= maxFiles) seen.clear()
      seen.set(path, size)
      const from = Math.max(before === undefined || before > size ? 0 : before, size - maxBytes)
      const buffer = new Uint8Array(size - from)
      return countLineFeeds(buffer.subarray(0, await file.read(buffer, from)))
    },
    remove: (paths) => {
      for (const path of paths) seen.delete(path)
    },
  }
}
