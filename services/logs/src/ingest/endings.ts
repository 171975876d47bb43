import type { FileIngest } from '../threads/file-ingest.ts'
import { addResults, noResult, type UploadResult } from '../threads/upload-result.ts'

/** A partial file ends without a line end; its last line is dropped because it may be truncated. */
export type FileEnd = 'whole' | 'brokenOff'

/** Each file occupies a parser until its entries are durable. This bounds the files that wait for that at the same time. */
const maxAtOnce = 8

const endFile = async (ingest: FileIngest, how: FileEnd): Promise<UploadResult> => {
  if (how === 'whole') return ingest.end()
  try {
    return await ingest.settle(true)
  } finally {
    await ingest.drop()
  }
}

/** The files of one upload, from their first byte until they are durable. */
export type Endings = {
  begin: (ingest: FileIngest) => void
  /** Ends a file. Resolves at once, or after another file has ended if `maxAtOnce` files are ending. */
  end: (ingest: FileIngest, how: FileEnd) => Promise<void>
  /** The sum of the results of all files so far. */
  progress: () => UploadResult
  /** Resolves when all files are durable. Rejects with the first failure once all files have ended. */
  all: () => Promise<UploadResult>
}

export const createEndings = (): Endings => {
  const open = new Set<FileIngest>()
  const ending = new Set<Promise<void>>()
  const failures: unknown[] = []
  let ended = noResult

  const progress = () => [...open].map((ingest) => ingest.progress()).reduce(addResults, ended)
  const finish = async (ingest: FileIngest, how: FileEnd) => {
    try {
      const result = await endFile(ingest, how)
      ended = addResults(ended, result)
    } catch (error) {
      failures.push(error)
      ended = addResults(ended, ingest.progress())
    } finally {
      open.delete(ingest)
    }
  }
  return {
    begin: (ingest) => void open.add(ingest),
    end: async (ingest, how) => {
      const mine = finish(ingest, how).finally(() => ending.delete(mine))
      ending.add(mine)
      if (ending.size >= maxAtOnce) await Promise.race(ending)
    },
    progress,
    all: async () => {
      await Promise.all(ending)
      if (failures.length > 0) throw failures[0]
      return ended
    },
  }
}
