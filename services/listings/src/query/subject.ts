import {
  Adapter,
  MustIncludeMode as Mode,
  type SearchRequest,
} from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { SearchSubject } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { parseExclusions, parseGroups, parseTerms } from '../search-terms.ts'
import { priceLimit } from './plan.ts'

/** Limits of a Search's fields, in characters (code points) or in number. */
const max = { query: 500, terms: 200, term: 100, category: 40, pages: 999 } as const

const cut = (text: string, characters: number): string => [...text].slice(0, characters).join('')

/** Joins alternatives into one term, as many as fit completely; the first alone is truncated. */
const joined = (group: readonly string[]): string => {
  const [first = '', ...others] = group
  return others.reduce(
    (text, alternative) => {
      const longer = `${text}|${alternative}`
      return [...longer].length <= max.term ? longer : text
    },
    cut(first, max.term),
  )
}

const termsOf = (terms: readonly string[]): string[] =>
  terms.slice(0, max.terms).map((term) => cut(term, max.term).trim())

const modes = { [Mode.ANY]: 'any', [Mode.GROUPS]: 'groups' } as const
const adapters = { [Adapter.API]: 'api', [Adapter.SCRAPER]: 'scraper' } as const
const wordOf = <Word extends string>(words: Partial<Record<string, Word>>, value: string, otherwise: Word): Word =>
  words[value] ?? otherwise

/** Price limits of a Search. If the lower exceeds the upper, nothing can be found, and neither is shown. */
const pricesOf = ({ minPrice: low, maxPrice: high }: SearchRequest) => {
  const [minPrice, maxPrice] = [priceLimit(low), priceLimit(high)]
  return minPrice !== undefined && maxPrice !== undefined && minPrice > maxPrice ? {} : { minPrice, maxPrice }
}

/**
 * Summary of a search from the API, for display on its object. Values that exceed a Search's limits are truncated; the search
 * itself uses the full request.
 */
export const subjectOf = (request: SearchRequest): SearchSubject => {
  const mode = wordOf<'all' | 'any' | 'groups'>(modes, request.mustIncludeMode, 'all')
  const { mustInclude, categoryId } = request
  return {
    query: cut(request.q.trim(), max.query).trim(),
    mustInclude: termsOf(mode === 'groups' ? parseGroups(mustInclude).map(joined) : parseTerms(mustInclude)),
    mustIncludeMode: mode,
    mustExclude: termsOf(parseExclusions(request.mustExclude)),
    ...pricesOf(request),
    categoryId: categoryId === '' || [...categoryId].length > max.category ? undefined : categoryId,
    adapter: wordOf<'auto' | 'api' | 'scraper'>(adapters, request.adapter, 'auto'),
    pages: Math.min(max.pages, Math.max(1, Math.trunc(request.pages ?? 1))),
  }
}

const requestModes: Partial<Record<string, Mode>> = { any: Mode.ANY, groups: Mode.GROUPS }
const requestAdapters: Partial<Record<string, Adapter>> = { api: Adapter.API, scraper: Adapter.SCRAPER }

/** Converts a Search to a request. A comma inside a term splits it, as in requests. */
export const requestOf = (subject: SearchSubject): SearchRequest => ({
  q: subject.query,
  mustInclude: subject.mustInclude.join(','),
  mustIncludeMode: requestModes[subject.mustIncludeMode] ?? Mode.ALL,
  mustExclude: subject.mustExclude.join(','),
  minPrice: subject.minPrice,
  maxPrice: subject.maxPrice,
  categoryId: subject.categoryId ?? '',
  adapter: requestAdapters[subject.adapter] ?? Adapter.AUTO,
  pages: subject.pages,
})
