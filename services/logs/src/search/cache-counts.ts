import type { Memoize, Part } from '../segments/part.ts'
import type { Filters } from './filters.ts'
import type { Query } from './query.ts'

/** Computes a value without caching it. */
export const withoutCache: Memoize = async (_name, find) => (await find()).value

/** Whether values are cached, so that they are available when requested again. */
export const isCached = (memoize: Memoize): boolean => memoize !== withoutCache

export type CacheOf = (part: Part) => Memoize

/** Creates the cache keys of a question. Each key is created once: the same one is used for every part. */
const createNames = (question: string): ((name: string) => string) => {
  const names = new Map<string, string>()
  return (name) => {
    const known = names.get(name)
    if (known !== undefined) return known
    const made = `${name} of ${question}`
    names.set(name, made)
    return made
  }
}

/**
 * Caches the counts of immutable parts by question: when the same search is repeated, as by a page that refreshes itself, only parts that are new
 * are counted. If a time filter cuts through a part, nothing is cached, because the next search will cut elsewhere.
 */
export const createCacheOf = ({ query, filters }: { query: Query | null; filters: Filters }): CacheOf => {
  const { since, until, ...others } = filters
  const nameOf = createNames(JSON.stringify([query, others]))
  return ({ firstTime, lastTime, memoize }) => {
    const isCut = (since !== undefined && firstTime < since) || (until !== undefined && lastTime >= until)
    return isCut || !memoize ? withoutCache : (name, find) => memoize(nameOf(name), find)
  }
}

/** The cache of a variant of the question. */
export const cacheOfVariant =
  (cacheOf: CacheOf, variant: string): CacheOf =>
  (part) => {
    const memoize = cacheOf(part)
    return isCached(memoize) ? (name, find) => memoize(`${name} of ${variant}`, find) : withoutCache
  }
