import { letGoOf } from '../let-go.ts'
import { keyPrefixAt } from '../segments/key-table.ts'
import { numberAt } from '../segments/number-column.ts'
import type { RankColumns } from '../segments/part.ts'
import { createTopHits, type Hit } from './hits.ts'
import { scoreOfKind, tellKinds } from './kinds.ts'
import type { Reached } from './match-part.ts'
import type { TermScores } from './rank.ts'

/**
 * Of each kind of what matched in a part the documents that come first, with all that puts them in order. Within a kind that order is the
 * same whatever the statistics are: the shorter first, then the newest. Where they are known, who asks the same again need not read a
 * column of the part.
 */
export type Leaders = {
  /** The terms that the part has, by their names. */
  terms: readonly string[]
  /** For each kind how often its documents have each of the terms. */
  counts: Uint8Array
  /** For each kind how many of the leaders are its own, which stand one after the other. */
  led: Uint16Array
  documents: Uint32Array
  lengthCodes: Uint8Array
  times: Float64Array
  sequences: Float64Array
  keys: Uint32Array
}

/** Of one kind no more are kept than a page mostly has, and of all together no more than are worth the room. */
export const maxLeaders = 64
const mostTogether = 1_024

/** What a leader takes in memory. */
const leaderBytes = 4 + 1 + 8 + 8 + 4

export const bytesOfLeaders = (leaders: Leaders | undefined): number =>
  256 +
  (leaders ? leaders.counts.length + leaders.led.length * 2 + leaders.documents.length * leaderBytes : 0) +
  (leaders?.terms.length ?? 0) * 64

export type LeadersOptions = { names: readonly string[]; columns: RankColumns; max: number }

/** The leaders of what matched, so many of a kind at most: the first so many of the part are among them. Undefined where they are too many in all. */
export const leadersOf = (reached: Reached, { names, columns, max }: LeadersOptions): Leaders | undefined => {
  const told = tellKinds(reached, names)
  if (!told) return undefined
  const { terms, documents, kindOf, counts } = told
  const { times, sequences, lengthCodes, keys, keyStride } = columns
  const tops = counts.map(() => createTopHits(max))
  // The newest are the last mostly: what is looked at first is rarely pushed out again.
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
  letGoOf(documents)
  letGoOf(kindOf)
  const kinds = tops.flatMap((top, kind) => {
    const hits = top.take()
    return hits.length === 0 ? [] : [{ hits, counts: counts[kind] ?? [] }]
  })
  const hits = kinds.flatMap((kind) => kind.hits)
  if (hits.length > mostTogether) return undefined
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

/** The leaders as hits of a part with the scores they have now, in no order. */
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
