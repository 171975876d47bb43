import { releaseBuffer } from '../release-buffers.ts'
import { keyPrefixAt } from '../segments/key-table.ts'
import { numberAt } from '../segments/number-column.ts'
import type { RankColumns } from '../segments/part.ts'
import { createTopHits, type Hit } from './hits.ts'
import { classify, scoreOfKind } from './kinds.ts'
import type { Reached } from './match-part.ts'
import type { TermScores } from './rank.ts'

/**
 * The first matched documents of each kind in a part, with everything that determines their order. Within a kind that order does not depend on the
 * statistics: shorter documents first, then newer ones. If leaders are cached, a repeated search need not read the columns of the part.
 */
export type Leaders = {
  /** Names of the terms that the part contains. */
  terms: readonly string[]
  /** For each kind, how often its documents contain each of the terms. */
  counts: Uint8Array
  /** For each kind, the number of its leaders, which are adjacent. */
  led: Uint16Array
  documents: Uint32Array
  lengthCodes: Uint8Array
  times: Float64Array
  sequences: Float64Array
  keys: Uint32Array
}

/** Maximum number of leaders per kind, about a page, and in total, beyond which they are not worth the memory. */
export const maxLeaders = 64
const maxTotal = 1_024

/** Memory of a leader in bytes. */
const leaderBytes = 4 + 1 + 8 + 8 + 4

export const bytesOfLeaders = (leaders: Leaders | undefined): number =>
  256 +
  (leaders ? leaders.counts.length + leaders.led.length * 2 + leaders.documents.length * leaderBytes : 0) +
  (leaders?.terms.length ?? 0) * 64

export type LeadersOptions = { names: readonly string[]; columns: RankColumns; max: number }

/** The leaders of the matches, at most `max` per kind; they include the first `max` hits of the part. Undefined if there are too many in total. */
export const leadersOf = (reached: Reached, { names, columns, max }: LeadersOptions): Leaders | undefined => {
  const classified = classify(reached, names)
  if (!classified) return undefined
  const { terms, documents, kindOf, counts } = classified
  const { times, sequences, lengthCodes, keys, keyStride } = columns
  const tops = counts.map(() => createTopHits(max))
  // The newest documents are mostly at the end: leaders that are found first are rarely replaced.
  for (let index = documents.length - 1; index >= 0; index--) {
    const document = documents[index] ?? 0
    const kind = kindOf[index] ?? 0
    const top = tops[kind]
    if (!top) continue
    const last = top.last()
    const score = -(lengthCodes[document] ?? 0)
    if (last && score < last.score) continue
    const time = numberAt(times, document)
    if (last && score === last.score && time < last.time) continue
    const key = keyPrefixAt(keys, document * keyStride)
    top.offer({ part: 0, document, score, time, sequence: numberAt(sequences, document), key })
  }
  releaseBuffer(documents)
  releaseBuffer(kindOf)
  const kinds = tops.flatMap((top, kind) => {
    const hits = top.take()
    return hits.length === 0 ? [] : [{ hits, counts: counts[kind] ?? [] }]
  })
  const hits = kinds.flatMap((kind) => kind.hits)
  if (hits.length > maxTotal) return undefined
  return {
    terms,
    counts: Uint8Array.from(kinds.flatMap((kind) => kind.counts)),
    led: Uint16Array.from(kinds, (kind) => kind.hits.length),
    documents: Uint32Array.from(hits, ({ document }) => document),
    lengthCodes: Uint8Array.from(hits, ({ score }) => -score),
    times: Float64Array.from(hits, ({ time }) => time),
    sequences: Float64Array.from(hits, ({ sequence }) => sequence),
    keys: Uint32Array.from(hits, ({ key }) => key),
  }
}

/** The leaders as hits of a part with their current scores, unordered. */
export const hitsOfLeaders = (leaders: Leaders, part: number, scores: ReadonlyMap<string, TermScores>): Hit[] => {
  const { terms, counts, led, documents, lengthCodes, times, sequences, keys } = leaders
  const ofTerms = terms.map((name) => scores.get(name))
  const hits: Hit[] = []
  led.forEach((length, kind) => {
    for (const end = hits.length + length; hits.length < end; ) {
      const at = hits.length
      hits.push({
        part,
        document: documents[at] ?? 0,
        score: scoreOfKind(ofTerms, { counts, kind }, lengthCodes[at] ?? 0),
        time: times[at] ?? 0,
        sequence: sequences[at] ?? 0,
        key: keys[at] ?? 0,
      })
    }
  })
  return hits
}
