import { invalidField, isServiceError } from '@trellis/kit/errors'
import { Adapter, MustIncludeMode, SearchRequest } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { termsOf } from '../query/plan.ts'

const adapters: Readonly<Record<string, Adapter>> = {
  auto: Adapter.AUTO,
  api: Adapter.API,
  scraper: Adapter.SCRAPER,
}

const modes: Readonly<Record<string, MustIncludeMode>> = {
  all: MustIncludeMode.ALL,
  any: MustIncludeMode.ANY,
  groups: MustIncludeMode.GROUPS,
}

const unusable = (name: string, expected: string) =>
  invalidField(['body', 'filters_json', name], `The filter "${name}" must be ${expected}.`)

/** Parses the JSON text of an object; undefined for any other text. */
export const parseFilters = (json: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Throws a 422 for filters that the search of a monitor could not use. */
export const checkFilters = (json: string): void => {
  if (parseFilters(json) === undefined)
    throw invalidField(['body', 'filters_json'], 'must be the JSON text of an object, such as {"max_price": 600}')
  searchRequestOf({ query: '', filters_json: json })
}

/** A number or the text of one, as forms send it; null if it is absent. */
const numberOf = (filters: Readonly<Record<string, unknown>>, name: string): number | null => {
  const value = filters[name] ?? null
  if (value === null || value === '') return null
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw unusable(name, 'a number')
  return number
}

/** Text, or a list of terms. */
const textOf = (filters: Readonly<Record<string, unknown>>, name: string, limit: number): string => {
  const value = filters[name] ?? ''
  const text = Array.isArray(value) ? value.filter((term) => typeof term === 'string').join(',') : value
  if (typeof text !== 'string' || text.length > limit) throw unusable(name, `text of at most ${limit} characters`)
  if (text.includes('\0')) throw unusable(name, 'text without the character U+0000')
  return text
}

const wordOf = <Value>(
  filters: Readonly<Record<string, unknown>>,
  name: string,
  words: Readonly<Record<string, Value>>,
  fallback: Value,
): Value => {
  const value = filters[name] ?? null
  if (value === null || value === '') return fallback
  const found = typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : undefined
  if (found === undefined) throw unusable(name, `one of ${Object.keys(words).join(', ')}`)
  return found
}

/** Throws `invalid` for terms of which a search would send too many queries. */
const checkTerms = (request: SearchRequest): void => {
  try {
    termsOf(request)
  } catch (error) {
    if (!isServiceError(error, 'invalid') || !Array.isArray(error.detail)) throw error
    const reason = error.detail.map(({ msg }) => msg).join(' ')
    throw invalidField(['body', 'filters_json', 'must_include'], `The filter "must_include" cannot be used: ${reason}`)
  }
}

/**
 * The search that a monitor requests for a saved search: its filters are the search's parameters by their names, and unknown
 * ones are ignored, since pages save filters of their own there. Throws `invalid` for a value that the search would refuse.
 */
export const searchRequestOf = ({ query, filters_json }: { query: string; filters_json: string }): SearchRequest => {
  const filters = parseFilters(filters_json) ?? {}
  const pages = numberOf(filters, 'pages')
  const request = SearchRequest.fromPartial({
    q: query,
    maxPrice: numberOf(filters, 'max_price'),
    minPrice: numberOf(filters, 'min_price'),
    pages: pages === null ? 1 : Math.min(Math.max(1, Math.trunc(pages)), 1000),
    mustInclude: textOf(filters, 'must_include', 4000),
    mustIncludeMode: wordOf(filters, 'must_include_mode', modes, MustIncludeMode.ALL),
    mustExclude: textOf(filters, 'must_exclude', 4000),
    categoryId: textOf(filters, 'category_id', 40),
    adapter: wordOf(filters, 'adapter', adapters, Adapter.AUTO),
  })
  checkTerms(request)
  return request
}
