import type { FileIngest } from '../threads/file-ingest.ts'
import { addResults, noResult, type UploadResult } from '../threads/upload-result.ts'

/** Of a file that breaks off, a last line without a line end is left out: it may be half of one. */
export type FileEnd = 'whole' | 'brokenOff'

/** A file that has been handed over has a parser until all of it is durable; so many may. */
const maxAtOnce = 8

const endFile = async (ingest: FileIngest, how: FileEnd): Promise<UploadResult> => {
  if (how === 'whole') return ingest.end()
  try {
    return await ingest.settle(true)
  } finally {
    await ingest.drop()
  }
}

/** The files of one upload, from when they are begun until they are durable. */
export type Endings = {
  begin: (ingest: FileIngest) => void
  /** Ends a file; resolves at once while few are ending, else when one of them has. */
  end: (ingest: FileIngest, how: FileEnd) => Promise<void>
  /** What all files have come to so far. */
  progress: () => UploadResult
  /** Resolves when all are durable; rejects, when all have ended, with why one is not. */
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
