import { type NumberColumn, numberAt } from './number-column.ts'

/**
 * The first and last time of every 32 documents, which share a word of a bitmap. Lines are mostly in the order of their times, so that a span
 * usually decides for all its documents.
 */
export type TimeSpans = { first: Float64Array; last: Float64Array }

export const spansOf = (times: NumberColumn, documents: number): TimeSpans => {
  const spans = (documents + 31) >>> 5
  const first = new Float64Array(spans).fill(Number.POSITIVE_INFINITY)
  const last = new Float64Array(spans).fill(Number.NEGATIVE_INFINITY)
  for (let document = 0; document < documents; document++) {
    const span = document >>> 5
    const time = numberAt(times, document)
    if (time < (first[span] ?? 0)) first[span] = time
    if (time > (last[span] ?? 0)) last[span] = time
  }
  return { first, last }
}
