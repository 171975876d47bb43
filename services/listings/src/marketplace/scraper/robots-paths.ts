/** Characters that mean the same whether they are percent-encoded or not (RFC 3986, 2.3). */
const unreserved = /^[\w.~-]$/

/** Characters that separate the parts of a path or of a query, and so are not what their encoded forms are. */
const separators = { path: new Set('/'), query: new Set('?&=') } as const
/** Characters with a meaning in rules only. */
const wildcard = '*'
const end = '$'

const percentEncoded = (character: string): string =>
  Array.from(Buffer.from(character), (octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`).join('')

const canonicalPart = (part: string, raw: ReadonlySet<string>): string =>
  part.replace(/%[\da-fA-F]{2}|[^\w.~-]/gu, (found) => {
    if (raw.has(found)) return found
    if (found.length < 3 || !found.startsWith('%')) return percentEncoded(found)
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16))
    return unreserved.test(character) ? character : found.toUpperCase()
  })

const canonical = (path: string, alsoRaw: readonly string[]): string => {
  const at = path.indexOf('?')
  const query = at < 0 ? '' : path.slice(at)
  const parts = [canonicalPart(at < 0 ? path : path.slice(0, at), new Set([...separators.path, ...alsoRaw]))]
  return [...parts, canonicalPart(query, new Set([...separators.query, ...alsoRaw]))].join('')
}

/**
 * The form in which the path of a URL is compared with rules (RFC 9309, 2.2.2): unreserved characters decoded, all others percent-encoded, apart
 * from separators. So `/%7Eada` is `/~ada`, and `*` can be matched by `%2A`.
 */
export const canonicalUrl = (address: string): string => {
  const { origin, pathname, search } = new URL(address)
  return origin + canonical(pathname + search, [])
}

const rule = /^([ \t]*(?:dis)?allow[ \t]*:)([^\r\n#]*)/gim

/** A robots.txt with the paths of its rules in the same form; wildcards, and `$` at the end, keep their meaning. */
export const withCanonicalPaths = (robots: string): string =>
  robots.replace(rule, (_, name: string, value: string) => {
    const path = value.trim()
    const endsThere = path.endsWith(end)
    const shown = canonical(endsThere ? path.slice(0, -1) : path, [wildcard])
    return `${name} ${shown}${endsThere ? end : ''}`
  })
