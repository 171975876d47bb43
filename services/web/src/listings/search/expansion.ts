/** The most searches that groups of terms may become. */
export const maxSearches = 8

/** A term without the quotation marks of a phrase, and with single spaces. */
const plain = (term: string): string =>
  term
    .trim()
    .replace(/^(?:"([^"]+)"|“([^”]+)”)$/, '$1$2')
    .trim()
    .replace(/\s+/g, ' ')

const trimmed = (parts: readonly string[]): string[] => parts.map(plain).filter((part) => part !== '')

/**
 * The searches that the server makes of a query and groups of terms: one for each alternative of the smallest group, with the other groups in the
 * marketplace's notation, as `expandGroups` of the listings service does. Without groups, the query alone.
 */
export const searchesOf = (query: string, mustInclude: string): string[] => {
  const groups = trimmed(mustInclude.toLowerCase().split(','))
    .map((group) => [...new Set(trimmed(group.split('|')))])
    .filter((group) => group.length > 0)
  const smallest = Math.min(...groups.map((group) => group.length))
  const pivot = groups.find((group) => group.length === smallest)
  if (!pivot) return query.trim() === '' ? [] : [query.trim()]
  const others = groups
    .filter((group) => group !== pivot)
    .map((group) => (group.length === 1 ? group[0] : `(${group.join(',')})`))
  return pivot.map((alternative) => [query.trim(), alternative, ...others].filter(Boolean).join(' '))
}
