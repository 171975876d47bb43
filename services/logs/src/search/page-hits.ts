import { type Bitmap, hasBit } from '../segments/bitmap.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { TimeSlices } from '../time-slices.ts'
import type { AbortCheck } from './abort-check.ts'
import { type CacheOf, isCached } from './cache-counts.ts'
import { createCandidates, createScoring, offerBestFirst, type RankedPart } from './candidates.ts'
import { createTopHits, type Hit, type Order, type Rank } from './hits.ts'
import { bytesOfKinds, highestOfKinds, kindsOf } from './kinds.ts'
import { bytesOfLeaders, hitsOfLeaders, leadersOf, maxLeaders } from './leaders.ts'
import type { Term } from './match.ts'
import type { Match } from './match-part.ts'
import { matchesWords, type Query } from './query.ts'
import { highestScore, type Statistics, scoresOfTerms } from './rank.ts'

/** Returns hits in order, page by page. */
export type Pager = (after: Rank | undefined, limit: number) => Promise<Hit[]>

export type PagerOptions = {
  order: Order
  /** The terms that contribute to the score. */
  ranking: readonly Term[]
  statistics: Statistics
  cacheOf: CacheOf
  /** Maximum number of leaders cached per kind and part; `maxLeaders` by default. */
  leaders?: number | undefined
  slices: TimeSlices
  signal: AbortCheck | undefined
}

export const rankOf = ({ score, time, sequence, key }: Hit): Rank => ({ score, time, sequence, key })

export const createPager = (matches: readonly Match[], options: PagerOptions): Pager => {
  const { order, ranking, statistics, cacheOf, leaders: max = maxLeaders, slices, signal } = options
  const scores = scoresOfTerms(ranking, statistics)
  const names = ranking.map(({ name }) => name)
  const scoring = createScoring(scores)
  const ranked = matches.map(({ part, total, bounds, reach }, number): RankedPart => {
    const memoize = cacheOf(part)
    const best = highestScore(bounds, scores)
    const refine = async () => {
      const kinds = await memoize('kinds', async () => {
        const [reached, lengthCodes] = await Promise.all([reach(), part.lengthCodes()])
        const value = { found: kindsOf(reached, names, lengthCodes) }
        return { value, bytes: bytesOfKinds(value.found) }
      })
      return kinds.found ? highestOfKinds(kinds.found, scores) : best
    }
    const lead = async (limit: number) => {
      if (limit > max) return undefined
      const { leaders } = await memoize('leaders', async () => {
        const [reached, columns] = await Promise.all([reach(), part.ranks()])
        const value = { leaders: leadersOf(reached, { names, columns, max }) }
        return { value, bytes: bytesOfLeaders(value.leaders) }
      })
      return leaders && hitsOfLeaders(leaders, number, scores)
    }
    return {
      number,
      part,
      best,
      ...(names.length > 0 && isCached(memoize) && { refine, lead }),
      open: async () => {
        const [{ found, matched }, columns] = await Promise.all([reach(), part.ranks()])
        return { columns, candidates: createCandidates({ matched, total, documents: part.documents, found }, scoring) }
      },
    }
  })
  return async (after, limit) => {
    const top = createTopHits(limit)
    await offerBestFirst(top, ranked, { order, after, limit, slices, signal })
    return top.take()
  }
}

/** Maximum number of texts checked for a page: a phrase whose words are frequent but never adjacent stops here. */
const maxTexts = 20_000
/** Minimum number of hits that are read at a time. */
const fewestHits = 200

/** A match with those of its documents whose text decides. */
export type UncheckedMatch = Match & { doubtful: Bitmap }

export type TextPaging = { after: Rank | undefined; limit: number; slices: TimeSlices; signal: AbortCheck | undefined }

/**
 * Returns the hits after `after`, up to one more than the page contains. It is used if there are too many doubtful documents to check for the counts:
 * those that may be on the page are checked here, best first.
 */
export const pageByTexts = async (
  query: Query,
  matches: readonly UncheckedMatch[],
  page: Pager,
  { after, limit, slices, signal }: TextPaging,
): Promise<Hit[]> => {
  const holds = async ({ part, document }: Hit): Promise<boolean> => {
    const match = matches[part]
    if (!match) return false
    if (!hasBit(match.doubtful, document)) return true
    looked++
    return matchesWords(query, wordsOf(await match.part.text(document)))
  }
  const hits: Hit[] = []
  let looked = 0
  for (let from = after; hits.length <= limit && looked < maxTexts; ) {
    signal?.throwIfAborted()
    const next = await page(from, Math.max(fewestHits, limit * 2))
    const last = next.at(-1)
    if (!last) break
    for (const hit of next) {
      if (slices.isOver()) await slices.pause()
      if (await holds(hit)) hits.push(hit)
      if (hits.length > limit) break
    }
    from = rankOf(last)
  }
  return hits
}
