import type { Bitmap } from '../segments/bitmap.ts'
import { keyPrefixAt } from '../segments/key-table.ts'
import { numberAt } from '../segments/number-column.ts'
import type { RankColumns } from '../segments/part.ts'
import type { Statistics } from './rank.ts'

/** `time` is newest first, `oldest` exactly the reverse. */
export type Order = 'relevance' | 'time' | 'oldest'

/**
 * The position of a hit in the result: by score, then newest first, then by sequence in the source, last first; the key breaks remaining ties.
 * For oldest first, all but the score are negated.
 */
export type Rank = { score: number; time: number; sequence: number; key: number }

/**
 * A position in the combined results of several stores: the store that the rank belongs to (absent if there is only one), and the statistics that
 * its score was computed with.
 */
export type Position = Rank & { shard?: string; statistics?: Statistics }

/** Negative when `left` comes first. */
export const compareRanks = (left: Rank, right: Rank): number =>
  right.score - left.score || right.time - left.time || right.sequence - left.sequence || left.key - right.key

export type Hit = Rank & { part: number; document: number }

/** Collects the first `limit` of all hits offered. */
export type TopHits = {
  /** The last collected hit, which further hits must precede; undefined until `limit` hits were collected. */
  last: () => Hit | undefined
  offer: (hit: Hit) => void
  /** The collected hits in order. */
  take: () => Hit[]
}

export const createTopHits = (limit: number): TopHits => {
  /** A heap with the last collected hit on top. */
  const heap: Hit[] = []
  const comesLater = (left: number, right: number): boolean => {
    const [one, other] = [heap[left], heap[right]]
    return one !== undefined && other !== undefined && compareRanks(one, other) > 0
  }
  const swap = (left: number, right: number) => {
    const [one, other] = [heap[left], heap[right]]
    if (one && other) {
      heap[left] = other
      heap[right] = one
    }
  }
  const rise = (from: number) => {
    for (let index = from; index > 0; ) {
      const above = (index - 1) >> 1
      if (!comesLater(index, above)) return
      swap(index, above)
      index = above
    }
  }
  const sink = () => {
    for (let index = 0; ; ) {
      const left = index * 2 + 1
      const later = comesLater(left + 1, left) ? left + 1 : left
      if (!comesLater(later, index)) return
      swap(later, index)
      index = later
    }
  }
  return {
    last: () => (heap.length < limit ? undefined : heap[0]),
    offer: (hit) => {
      const last = heap[0]
      if (heap.length < limit) rise(heap.push(hit) - 1)
      else if (last && compareRanks(hit, last) < 0) {
        heap[0] = hit
        sink()
      }
    },
    take: () => heap.toSorted(compareRanks),
  }
}

/** Ranks after every hit; stands in for the last hit until `limit` hits were collected. */
const beforeAll = { score: Number.NEGATIVE_INFINITY, time: Number.NEGATIVE_INFINITY }

export type Offer = {
  part: number
  columns: RankColumns
  order: Order
  /** Hits up to and including this one have been shown. */
  after?: Rank | undefined
}

/**
 * Offers documents of a part, each with its score. Since lines are mostly stored in time order, the documents that are most likely to come first are
 * offered first.
 */
export const offerDocuments = (
  top: TopHits,
  { part, columns, order, after }: Offer,
  { documents, scores }: { documents: Uint32Array; scores: Float64Array },
): void => {
  const { times, sequences, keys, keyStride } = columns
  const sign = order === 'oldest' ? -1 : 1
  let { score: lastScore, time: lastTime } = top.last() ?? beforeAll
  for (let step = 0; step < documents.length; step++) {
    const index = sign === 1 ? documents.length - 1 - step : step
    const score = scores[index] ?? 0
    if (score < lastScore) continue
    const document = documents[index] ?? 0
    const time = sign * numberAt(times, document)
    if (score === lastScore && time < lastTime) continue
    const sequence = sign * numberAt(sequences, document)
    const hit = { part, document, score, time, sequence, key: sign * keyPrefixAt(keys, document * keyStride) }
    if (after !== undefined && compareRanks(after, hit) >= 0) continue
    top.offer(hit)
    ;({ score: lastScore, time: lastTime } = top.last() ?? beforeAll)
  }
}

/** Offers the documents of a bitmap in the same order. `scores` is indexed by length code, `shortest` by word of the bitmap. */
export const offerBitmap = (
  top: TopHits,
  { part, columns, order, after }: Offer,
  { bitmap, scores, shortest }: { bitmap: Bitmap; scores: Float64Array; shortest: Uint8Array },
): void => {
  const { times, spans, sequences, keys, keyStride, lengthCodes } = columns
  const sign = order === 'oldest' ? -1 : 1
  const foremost = sign === 1 ? spans.last : spans.first
  let { score: lastScore, time: lastTime } = top.last() ?? beforeAll
  for (let step = 0; step < bitmap.length; step++) {
    const word = sign === 1 ? bitmap.length - 1 - step : step
    // Always a signed 32-bit integer: mixing number representations would make V8 recompile the loop repeatedly.
    let rest = (bitmap[word] ?? 0) | 0
    if (rest === 0) continue
    const best = scores[shortest[word] ?? 0] ?? 0
    if (best < lastScore || (best === lastScore && sign * (foremost[word] ?? 0) < lastTime)) continue
    while (rest !== 0) {
      const bit = 31 - Math.clz32(sign === 1 ? rest : rest & -rest)
      rest ^= 1 << bit
      const document = (word << 5) + bit
      const score = scores[lengthCodes[document] ?? 0] ?? 0
      if (score < lastScore) continue
      const time = sign * numberAt(times, document)
      if (score === lastScore && time < lastTime) continue
      const sequence = sign * numberAt(sequences, document)
      const hit = { part, document, score, time, sequence, key: sign * keyPrefixAt(keys, document * keyStride) }
      if (after !== undefined && compareRanks(after, hit) >= 0) continue
      top.offer(hit)
      ;({ score: lastScore, time: lastTime } = top.last() ?? beforeAll)
    }
  }
}
