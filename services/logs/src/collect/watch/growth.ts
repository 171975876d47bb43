import { countLineFeeds } from '../count-line-feeds.ts'
import type { OpenFile } from '../files/log-file.ts'

/** Counts the lines by which files have grown, without storing them: lines that wait to be stored remain in their file. */
export type Growth = {
  /** The number of new lines since the last call; for a new file, the lines in its last `maxBytes`. */
  linesOf: (path: string) => Promise<number>
  remove: (paths: Iterable<string>) => void
}

/** Larger growth has enough lines to be stored at once. */
const maxBytes = 256 * 1024
/** The maximum number of files with a known size; beyond it all are counted again from the start. */
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
