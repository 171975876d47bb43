import { type ByteCache, createByteCache } from './byte-cache.ts'

/**
 * The cache of segment data, with a size limit for each kind. A reader of many texts, such as scoring, would otherwise evict the columns that all
 * queries share and the small results of queries, which would then be recomputed for every segment.
 */
export type SegmentCache = {
  /** Columns and words. */
  columns: ByteCache
  /** Texts, and pages as read. */
  texts: ByteCache
  /** Results of queries. */
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
