import { type ByteCache, createByteCache } from './byte-cache.ts'

/**
 * What is kept of segments, each kind within a room of its own. Who reads the texts of an hour, as scoring does, would otherwise push out
 * the columns that all questions share and the little that is kept of each question, which then have to be found out for every segment anew.
 */
export type SegmentCache = {
  /** Columns and words. */
  columns: ByteCache
  /** Texts, and pages as they are read. */
  texts: ByteCache
  /** What was found out for questions. */
  answers: ByteCache
  clear: () => void
}

const shares = { texts: 1 / 4, answers: 1 / 6 }

export const createSegmentCache = (limitBytes: number): SegmentCache => {
  const texts = createByteCache(limitBytes * shares.texts)
  const answers = createByteCache(limitBytes * shares.answers)
  const columns = createByteCache(limitBytes * (1 - shares.texts - shares.answers))
  return {
    columns,
    texts,
    answers,
    clear: () => {
      for (const cache of [columns, texts, answers]) cache.clear()
    },
  }
}
