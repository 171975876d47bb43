import { invalidField } from '@trellis/kit/errors'

/** How `must_include` is interpreted: every term, any term, or groups of alternatives. */
export type MustIncludeMode = 'all' | 'any' | 'groups'

/** Maximum queries that groups may expand into, groups, and alternatives in one; beyond them a search is refused. */
export const groupLimits = { queries: 8, groups: 10, alternatives: 20 } as const

/** A term as titles contain it: without the quotation marks of a phrase, and with single spaces. A mark at one end only is that of inches. */
const plain = (term: string): string =>
  term
    .trim()
    .replace(/^(?:"([^"]+)"|“([^”]+)”)$/, '$1$2')
    .trim()
    .replace(/\s+/g, ' ')

const trimmed = (parts: readonly string[]): readonly string[] => parts.map(plain).filter((part) => part !== '')

/** Terms of a comma-separated list, without blank ones. */
export const parseTerms = (text: string): readonly string[] => trimmed(text.split(','))

/** Terms to exclude; those in the marketplace's notation (`-term`) are read as meant. */
export const parseExclusions = (text: string): readonly string[] =>
  trimmed(text.split(',').map((term) => term.replace(/^[\s-]+/, '')))

/** Groups of distinct alternatives: commas separate groups, bars separate alternatives, all lower-cased ("16gb|24gb, rtx|quadro"). */
export const parseGroups = (text: string): readonly (readonly string[])[] => {
  const groups = parseTerms(text.toLowerCase())
    .map((group) => [...new Set(trimmed(group.split('|')))])
    .filter((group) => group.length > 0)
  const field = ['query', 'must_include']
  if (groups.length > groupLimits.groups)
    throw invalidField(field, `At most ${groupLimits.groups} groups are allowed; there are ${groups.length}.`)
  const largest = Math.max(0, ...groups.map((group) => group.length))
  if (largest > groupLimits.alternatives)
    throw invalidField(field, `A group may have at most ${groupLimits.alternatives} alternatives; one has ${largest}.`)
  return groups
}

const asAlternatives = (group: readonly string[]): string =>
  group.length === 1 ? (group[0] ?? '') : `(${group.join(',')})`

/**
 * Marketplace queries that together cover the groups: one for each alternative of the smallest group (the first of equals),
 * with the other groups as alternatives in the marketplace's notation. Without groups, the query itself.
 */
export const expandGroups = (query: string, groups: readonly (readonly string[])[]): readonly string[] => {
  const pivot = groups.reduce<readonly string[] | undefined>(
    (smallest, group) => (smallest === undefined || group.length < smallest.length ? group : smallest),
    undefined,
  )
  if (pivot === undefined) return [query]
  if (pivot.length > groupLimits.queries)
    throw invalidField(
      ['query', 'must_include'],
      `At most ${groupLimits.queries} queries are sent at once; shorten the smallest group, which has ${pivot.length} alternatives.`,
    )
  const others = groups.filter((group) => group !== pivot).map(asAlternatives)
  return pivot.map((alternative) => [query, alternative, ...others].filter((part) => part !== '').join(' '))
}

/** The parsed terms of a search: the queries to send, the one to compare prices by, and the filter for titles. */
export type SearchTerms = {
  readonly queries: readonly string[]
  readonly compQuery: string
  readonly mustExclude: readonly string[]
  readonly matches: (title: string) => boolean
}

/** The parameters that terms are parsed from, as requested. */
export type TermParameters = {
  readonly q: string
  readonly mustInclude: string
  readonly mustIncludeMode: MustIncludeMode
  readonly mustExclude: string
}

/**
 * Parses the terms of a search. Prices are compared by the first expanded query in `groups` mode, by the query with all terms
 * in `all` mode, and by the query alone otherwise. Titles are matched lower-cased, by substrings.
 */
export const readTerms = ({ q, mustInclude, mustIncludeMode, mustExclude }: TermParameters): SearchTerms => {
  const query = q.trim()
  const terms = parseTerms(mustInclude)
  const groups = mustIncludeMode === 'groups' ? parseGroups(mustInclude) : []
  const queries = expandGroups(query, groups)
  const groupsToMatch =
    mustIncludeMode === 'groups' ? groups : mustIncludeMode === 'any' ? [terms] : terms.map((term) => [term])
  const required = groupsToMatch
    .filter((group) => group.length > 0)
    .map((group) => group.map((term) => term.toLowerCase()))
  const excluded = parseExclusions(mustExclude)
  const compQuery =
    mustIncludeMode === 'groups'
      ? (queries[0] ?? query)
      : mustIncludeMode === 'all'
        ? [query, ...terms].join(' ')
        : query
  return {
    queries,
    compQuery,
    mustExclude: excluded,
    matches: (title) => {
      const text = title.toLowerCase()
      return (
        required.every((group) => group.some((term) => text.includes(term))) &&
        !excluded.some((term) => text.includes(term.toLowerCase()))
      )
    },
  }
}

/** A query with its exclusions in the marketplace's notation: `-term`, or `-"two words"`. */
export const withExclusions = (query: string, excluded: readonly string[]): string =>
  [query, ...excluded.map((term) => (/\s/.test(term) ? `-"${term.replaceAll('"', '')}"` : `-${term}`))].join(' ')
